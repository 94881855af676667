"""Latencies of links, there and back, from those of pairs: least squares without negative numbers.

Half a round trip is what any message costs, plus the latencies of the links on the way in the mean of both directions,
plus the time a frame's headers take on each. It tells directions apart no more than a clock does that is off: on a tree
the difference between there and back is one number of each host, less that of the other. One-way times show these.

A difference counts where it is larger than the error that is stated with it: there, links on the way get a latency of
each direction. None is below zero, which tells a long link from the short ones around it. Links whose difference comes
out no larger than what clocks are off by go back to what the file says, and the others are solved for again.
Cost: some log(links) least-squares problems of pairs x links.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.pairs.file import MeasuredPair

_TINY = 1e-12


def nonnegative_least_squares(matrix: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """The x >= 0 for which |matrix x - wanted| is least, by active sets (Lawson and Hanson, 1974, chapter 23).

    It begins with all of them free, since few end at zero. Cost: a least-squares problem for each one that changes
    between free and zero.

    Args:
        matrix: Of shape (rows, columns), with as many independent rows as columns.
        wanted: Of shape (rows,).
    """
    columns = matrix.shape[1]
    x = np.full(columns, _TINY * max(1.0, float(np.abs(wanted).max(initial=0.0))))
    free = np.ones(columns, dtype=bool)
    for _ in range(10 * columns + 10):
        x = _freed(matrix, wanted, x, free)
        slope = matrix.T @ (wanted - matrix @ x)
        slope[free] = -np.inf
        if free.all() or slope.max() <= _TINY * float(np.abs(matrix.T @ wanted).max()):
            break
        free[int(slope.argmax())] = True
    return x


def _freed(
    matrix: NDArray[np.float64], wanted: NDArray[np.float64], x: NDArray[np.float64], free: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Towards the best values of the free ones; those that would go below zero stay there, and are free no more."""
    while True:
        best = np.zeros_like(x)
        best[free] = np.linalg.lstsq(matrix[:, free], wanted, rcond=None)[0]
        below = free & (best <= 0)
        if not below.any():
            return best
        share = float((x[below] / (x[below] - best[below] + np.finfo(float).tiny)).min())
        x = x + min(1.0, share) * (best - x)
        stuck = below & (x <= _TINY * max(1.0, float(x.max())))
        if not stuck.any():
            stuck[np.flatnonzero(below)[int(best[below].argmin())]] = True
        free &= ~stuck
        x[~free] = 0.0


_PULL = 1e-4
"""Of a latency towards zero, beside a pair that takes all of its time there: decides only where pairs do not."""
_FINEST = 1e-3
"""Of a latency: differences are known no better, whatever clocks say."""
_AS_GOOD = 0.01
"""Of a latency: a difference that is known so well counts as much as the latency."""


@dataclass(frozen=True)
class Latencies:
    """What was found.

    Attributes:
        message_s: What a message costs besides the way, seconds.
        means_s: Of each link, in the mean of both directions.
        more_s: Of each link: there it takes so much longer than the mean, and back so much less.
        known_s: Of each link whose difference was measured to be another than stated: within how much it is known.
    """

    message_s: float
    means_s: list[float]
    more_s: list[float]
    known_s: dict[int, float]


def mean_rates(rates: Sequence[float]) -> list[float]:
    """Of each link: at which a byte takes half of what it takes there and back."""
    return [2 / (1 / there + 1 / back) for there, back in zip_equal(rates[::2], rates[1::2])]


def headers_s(rate_bps: float) -> float:
    """Of one frame."""
    return (_core.frame_wire_bytes - _core.frame_payload_bytes) * 8 / rate_bps


def more_of_way_s(channels: Sequence[int], more_s: Sequence[float], rates: Sequence[float]) -> float:
    """By how much a way takes longer than the mean of there and back."""
    of_links = sum(more_s[channel // 2] * (-1 if channel % 2 else 1) for channel in channels)
    return of_links + sum(headers_s(rates[channel]) - headers_s(rates[channel ^ 1]) for channel in channels) / 2


@dataclass(frozen=True)
class _Way:
    pair: MeasuredPair
    channels: Sequence[int]
    mean_s: float
    """Half of a round trip without what headers take."""
    off_s: float | None
    """There took so much longer than with the differences that are stated; None: not known."""
    known_s: float
    """The same, at least so much to count."""


@dataclass(frozen=True)
class _Free:
    """A link whose directions may differ otherwise than stated."""

    stated_s: float
    easy_s: float
    """The larger, the more easily."""


def fit_latencies(cluster: _core.Cluster, pairs: Sequence[MeasuredPair], rates: Sequence[float]) -> Latencies:
    """From what pairs of the cluster took, whose channels have these rates, bits a second."""
    stated = [(link.latency_s - link.back_latency_s) / 2 for link in cluster.links]
    means = mean_rates(rates)
    ways = []
    for pair in pairs:
        channels = cluster.path(*(cluster.hosts[host] for host in pair.hosts))
        mean_s = max(0.0, pair.latency_s - sum(headers_s(means[one // 2]) for one in channels))
        off_s = pair.one_way.more_s - more_of_way_s(channels, stated, rates) if pair.one_way else None
        known_s = max(pair.one_way.error_s if pair.one_way else 0.0, _FINEST * pair.latency_s)
        ways.append(_Way(pair, channels, mean_s, off_s, known_s))
    known: dict[int, float] = {}
    for way in ways:
        if way.off_s is not None and abs(way.off_s) > way.known_s:
            for channel in way.channels:
                known[channel // 2] = min(known.get(channel // 2, way.known_s), way.known_s)
    alike = _solved(ways, {})[1]
    while True:
        # What could be the difference of one link or of another is taken for that of the longer one.
        free = {link: _Free(stated[link], max(alike[link], within)) for link, within in known.items()}
        message_s, found, more = _solved(ways, free)
        off = {link: abs(more[link] - stated[link]) for link in known}
        small = sorted((link for link in known if off[link] <= known[link]), key=off.__getitem__)
        if not small:
            break
        for link in small[: (len(small) + 1) // 2]:
            del known[link]
    latencies = [found.get(number, link.mean_latency_s) for number, link in enumerate(cluster.links)]
    of_links = [
        max(-mean_s, min(mean_s, more.get(number, of_link)))
        for number, (mean_s, of_link) in enumerate(zip_equal(latencies, stated))
    ]
    return Latencies(message_s, latencies, of_links, known)


def _solved(ways: Sequence[_Way], free: Mapping[int, _Free]) -> tuple[float, dict[int, float], Mapping[int, float]]:
    """What a message costs, mean latencies, and by how much there takes longer on free links."""
    crossed = sorted({channel // 2 for way in ways for channel in way.channels})
    there = {link: number for number, link in enumerate(crossed, 1)}
    back = {link: number for number, link in enumerate(sorted(free), 1 + len(crossed))}
    rows: list[tuple[dict[int, float], float]] = []

    def add(share: float, value: float, factors: Mapping[int, float]) -> None:
        rows.append(({column: share * factor for column, factor in factors.items()}, share * value))

    for way in ways:
        mean: dict[int, float] = {0: 1.0}
        differs: dict[int, float] = {}
        stated_s = 0.0
        for channel in way.channels:
            link = channel // 2
            half = 0.5 if link in back else 1.0
            mean[there[link]] = half
            if link in back:
                sign = -1.0 if channel % 2 else 1.0
                mean[back[link]] = half
                differs[there[link]], differs[back[link]] = sign * half, -sign * half
                stated_s += sign * free[link].stated_s
        add(1 / way.pair.latency_s, way.mean_s, mean)
        if way.off_s is not None and differs:
            add(1 / max(way.pair.latency_s, way.known_s / _AS_GOOD), way.off_s + stated_s, differs)
    longest = dict.fromkeys(crossed, 0.0)
    for way in ways:
        for channel in way.channels:
            longest[channel // 2] = max(longest[channel // 2], way.pair.latency_s)
    for link in crossed:
        share = _PULL / longest[link]
        if link in back:
            add(share, 0.0, {there[link]: 0.5, back[link]: 0.5})
            add(_PULL / free[link].easy_s, free[link].stated_s, {there[link]: 0.5, back[link]: -0.5})
        else:
            add(share, 0.0, {there[link]: 1.0})
    matrix = np.zeros((len(rows), 1 + len(there) + len(back)))
    for number, (factors, _) in enumerate(rows):
        for column, factor in factors.items():
            matrix[number, column] = factor
    solution = nonnegative_least_squares(matrix, np.array([value for _, value in rows]))
    found = {link: float(solution[column]) for link, column in there.items()}
    more = {link: (found[link] - float(solution[column])) / 2 for link, column in back.items()}
    means = {link: of_link - more.get(link, 0.0) for link, of_link in found.items()}
    return float(solution[0]), means, more
