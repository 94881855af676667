"""``trunkline_papers bench heights``: how low contention-free trees are on random clusters (the papers' figure 5)."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TypeVar

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline_papers.pipelined.drawn import Drawn, draw_cluster
from trunkline_papers.pipelined.optimum import least_height

__all__ = ["Heights", "height_of_complete_tree", "measure_heights"]

MOST_FOR_OPTIMUM = 12
"""Machines up to which the exact search ends in seconds."""


@dataclass(frozen=True)
class Heights:
    """Trees of degree ``k`` over random clusters of one size; heights are means over the clusters."""

    collective: str
    shape: str
    k: int
    machines: int
    machines_per_switch: int
    switches: int
    clusters: int
    seed: int
    drawing: str
    """How topologies are drawn (``drawn.py``), as the next two."""
    order: str
    """Of the depth-first search that Algorithms 1 and 2 begin with."""
    root: str
    """Where trees start."""
    mean_height: float
    highest: int
    mean_height_algorithm_2: float
    mean_height_bound: float
    """No contention-free tree is lower."""
    complete_tree_height: int
    ratio_to_complete: float
    ratio_algorithm_2: float
    """The same of Algorithm 2."""
    optimal: int | None
    """Clusters on which the tree is as low as any; None: the clusters are too large for an exact search."""
    mean_optimum: float | None
    seconds_median: float
    """Planning one tree."""
    seconds_high: float
    seconds_median_algorithm_2: float
    trunkline_version: str

    def as_json(self) -> dict[str, object]:
        """The row as the command writes it."""
        return asdict(self)


def height_of_complete_tree(machines: int, k: int) -> int:
    """Transfers from the root to the lowest rank of a complete k-ary tree."""
    height, row, reached = 0, 1, 1
    while reached < machines:
        row *= k
        reached += row
        height += 1
    return height


Laid = TypeVar("Laid")


def _timed(lay: Callable[..., Laid], *arguments: object) -> tuple[Laid, float]:
    start = time.perf_counter()
    laid = lay(*arguments)
    return laid, time.perf_counter() - start


def measure_heights(
    collective: str,
    sizes: Sequence[int],
    per_switch: Sequence[int],
    k: int,
    clusters: int,
    seed: int,
    readings: Sequence[tuple[str, str, str]] = (("pieces", "drawn", "random"),),
) -> Iterator[Heights]:
    """Lay trees over ``clusters`` random clusters of every size; rows come as they are done.

    Each size draws from a generator of its own, so that a row does not depend on which others were asked for, and its
    topologies and homes are the same for every order.

    Args:
        collective: Its name.
        sizes: Machines.
        per_switch: Machines a switch, on average.
        k: Degree of the trees.
        clusters: Of each size.
        seed: Of the random clusters.
        readings: Drawing, order and root, as ``draw_cluster`` takes them.
    """
    for drawing, order, root in readings:
        for each in per_switch:
            for machines in sizes:
                switches = max(1, round(machines / each))
                rng = random.Random(f"{seed}/{machines}/{each}")
                drawn = [draw_cluster(machines, switches, rng, drawing, order, root) for _ in range(clusters)]
                yield _heights(collective, machines, each, k, seed, (drawing, order, root), drawn)


def _heights(
    collective: str, machines: int, each: int, k: int, seed: int, reading: tuple[str, str, str], drawn: Sequence[Drawn]
) -> Heights:
    shape = "binary" if k == 2 else f"{k}-ary"
    found, plain, bounds, optima, seconds, seconds_plain = [], [], [], [], [], []
    for one in drawn:
        cluster, root = one.cluster, one.root
        placement = _core.block_placement(cluster, 1)
        trees, spent = _timed(_core.lay_trees, collective, shape, cluster, placement, root)
        found.append(trees[0].height)
        seconds.append(spent)
        tree, spent = _timed(_core.algorithm_2_tree, cluster, placement, root, k)
        plain.append(tree.height)
        seconds_plain.append(spent)
        bounds.append(_core.height_bound(cluster, placement, root, k))
        if machines <= MOST_FOR_OPTIMUM:
            optima.append(least_height(cluster, placement, root, k, most=found[-1]))
    complete = height_of_complete_tree(machines, k)
    mean, mean_plain = statistics.mean(found), statistics.mean(plain)
    return Heights(
        collective=collective,
        shape=shape,
        k=k,
        machines=machines,
        machines_per_switch=each,
        switches=max(1, round(machines / each)),
        clusters=len(drawn),
        seed=seed,
        drawing=reading[0],
        order=reading[1],
        root=reading[2],
        mean_height=mean,
        highest=max(found),
        mean_height_algorithm_2=mean_plain,
        mean_height_bound=statistics.mean(bounds),
        complete_tree_height=complete,
        ratio_to_complete=mean / complete if complete else 1.0,
        ratio_algorithm_2=mean_plain / complete if complete else 1.0,
        optimal=sum(h == o for h, o in zip_equal(found, optima)) if optima else None,
        mean_optimum=statistics.mean(optima) if optima else None,
        seconds_median=statistics.median(seconds),
        seconds_high=max(seconds),
        seconds_median_algorithm_2=statistics.median(seconds_plain),
        trunkline_version=_core.__version__,
    )
