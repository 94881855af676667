"""Two runs beside each other: how much quicker one is, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import NormalDist

import numpy as np

from trunkline.compat import zip_equal
from trunkline.trace.analysis import Analysed, AnalysedTree, Analysis, find_group

MOST_BLOCKS = 30
LEAST_BLOCKS = 5
"""Fewer give no interval."""


@dataclass(frozen=True)
class Compared:
    """The calls of one collective and size in both runs."""

    first: Analysed
    second: Analysed
    ratio: float
    """Time of a call in the first over that in the second: above 1 where the second is quicker."""
    interval: tuple[float, float] | None
    """With 95 %; None: too few calls."""

    @property
    def trees(self) -> tuple[AnalysedTree, AnalysedTree] | None:
        """The one tree of each run; None where one of them has none, or several."""
        if len(self.first.trees) == len(self.second.trees) == 1:
            return self.first.trees[0], self.second.trees[0]
        return None

    def stages(self) -> list[tuple[str, float, float]]:
        """What a rank spends in the mean by part and stage in both runs, microseconds; the largest change first."""
        if self.trees is None:
            return []
        one, other = (tree.by_class for tree in self.trees)
        keys = sorted({*one, *other}, key=lambda key: -abs(other.get(key, 0.0) - one.get(key, 0.0)))
        return [(stage_class_text(*key), one.get(key, 0.0), other.get(key, 0.0)) for key in keys]

    @property
    def is_certain(self) -> bool:
        """Whether the interval leaves 1 out."""
        return self.interval is not None and not self.interval[0] <= 1.0 <= self.interval[1]


def stage_class_text(part: str, kind: str) -> str:
    """All stages of a part and kind, in words."""
    if not kind.endswith("proxy"):
        return f"{part}: {kind}"
    way = kind.partition(" ")[0]
    return f"proxies, {way}" if part == "proxy" else f"{part}: links, {way}"


def compare(first: Analysis, second: Analysis) -> list[Compared]:
    """Groups of the first run with those of the second that call the same collective with as many bytes."""
    found: list[Compared] = []
    for analysed in first.groups:
        other = find_group(second.groups, analysed)
        if other is not None and all(analysed is not done.first and other is not done.second for done in found):
            found.append(Compared(analysed, other, *ratio_with_interval(analysed.by_call, other.by_call)))
    return found


def ratio_with_interval(first: np.ndarray, second: np.ndarray) -> tuple[float, tuple[float, float] | None]:
    """The ratio of two means with its 95 % interval.

    Calls in a row are alike, so the means of blocks of calls count as values: Welch's t-interval of the difference of
    their logarithms.

    Args:
        first: Times in their order, above zero.
        second: The same of the other run.
    """
    ratio = float(first.mean() / second.mean())
    blocks = [_blocks(first), _blocks(second)]
    if min(len(block) for block in blocks) < LEAST_BLOCKS:
        return ratio, None
    terms = [block.var(ddof=1) / len(block) for block in blocks]
    if sum(terms) == 0:
        return ratio, (ratio, ratio)
    freedom = sum(terms) ** 2 / sum(term**2 / (len(one) - 1) for term, one in zip_equal(terms, blocks))
    half = _student(freedom) * sqrt(sum(terms))
    middle = log(ratio)
    return ratio, (exp(middle - half), exp(middle + half))


def _blocks(times: np.ndarray) -> np.ndarray:
    count = min(MOST_BLOCKS, len(times))
    blocks: np.ndarray = np.log(np.array([part.mean() for part in np.array_split(times, count)]))
    return blocks


def _student(freedom: float) -> float:
    """The 97.5 % quantile of Student's t, by its expansion about the normal one; within 1 % from 4 degrees on."""
    z = NormalDist().inv_cdf(0.975)
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
