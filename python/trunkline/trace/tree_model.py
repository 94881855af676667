"""How long another tree would take, by what the trace of one says of its hosts and links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from trunkline import _core
from trunkline.trace.analysis import AnalysedTree
from trunkline.trace.nodes import Node
from trunkline.trace.slow_hosts import extras
from trunkline.trace.stages import PROXIES


@dataclass(frozen=True)
class TreeModel:
    """Typical times of a trace, microseconds. That ranks of a host share its processors is not modelled."""

    combine: float
    """From an arrival, which the node was waiting for, until it is combined."""
    hand_down: float
    """From the last arrival until the node has sent on."""
    first: float
    """From the result's arrival until the first child has been sent it."""
    next: float
    """From one child to the next."""
    hosts: Sequence[str]
    """By rank of the plan."""
    within: float
    """One way between ranks of a host."""
    by_links: dict[int, float]
    """One way between hosts, by the number of links in between."""
    extra: dict[str, float]
    """What a host adds to each way to or from it."""
    links: Callable[[str, str], int]
    goes_up: bool
    goes_down: bool

    def one_way(self, a: int, b: int) -> float:
        """Between two ranks."""
        one, other = self.hosts[a], self.hosts[b]
        if one == other:
            return self.within
        distance = self.links(one, other)
        known = min(self.by_links, key=lambda links: (abs(links - distance), links))
        base = self.by_links[known] * (distance / known if distance > known else 1.0)
        return base + self.extra.get(one, 0.0) + self.extra.get(other, 0.0)

    def time_of(self, children: Sequence[Sequence[int]], root: int) -> float:
        """Of one call whose ranks all enter at once, until the last one leaves."""
        order, stack = [], [root]
        while stack:
            order.append(here := stack.pop())
            stack += children[here]
        ready = [0.0] * len(children)
        if self.goes_up:
            for rank in reversed(order):
                time = 0.0
                for arrival in sorted(ready[child] + self.one_way(child, rank) for child in children[rank]):
                    time = max(time, arrival) + self.combine
                ready[rank] = time + self.hand_down
            if not self.goes_down:
                return ready[root]
        result = {root: ready[root]}
        last = 0.0
        for rank in order:
            left = result[rank] + self.first
            for child in children[rank]:
                result[child] = left + self.one_way(rank, child)
                left += self.next
            last = max(last, left)
        return last


def model_of(
    tree: AnalysedTree, hosts: Sequence[str], places: dict[int, int], cluster: _core.Cluster | None
) -> TreeModel:
    """The model that fits a traced tree.

    Args:
        tree: With at least one call.
        hosts: By rank of the plan.
        places: Rank of the plan by rank of MPI_COMM_WORLD.
        cluster: Says how far hosts are from each other; None: all as far.
    """
    nodes = list(tree.times.nodes.values())
    middle = {(stage.kind, stage.node, stage.contributor): stage.stats.median for stage in tree.stages}

    def links(a: str, b: str) -> int:
        return len(cluster.path(a, b)) if cluster is not None else 2

    within: list[float] = []
    between: list[tuple[str, str, float]] = []
    for node in nodes:
        if node.parent is None:
            continue
        ways = [middle[name, node.rank, node.parent] for name in PROXIES if (name, node.rank, node.parent) in middle]
        one, other = hosts[places[node.rank]], hosts[places[node.parent]]
        if one == other:
            within.append(max(0.0, fmean(ways)))
        else:
            between.append((one, other, max(0.0, fmean(ways))))
    by_links: dict[int, list[float]] = {}
    for one, other, way in between:
        by_links.setdefault(links(one, other), []).append(way)
    typical = {distance: median(ways) for distance, ways in by_links.items()} or {2: fmean(within) if within else 0.0}
    goes_up, goes_down = any(node.t2 is not None for node in nodes), any(node.t4 for node in nodes)
    downs = [value for (kind, _, _), value in middle.items() if kind == "down latency"]
    firsts = [value for (kind, _, _), value in middle.items() if kind == "up latency"]
    return TreeModel(
        combine=_least_step(nodes),
        hand_down=median(downs) if downs else 0.0,
        first=median(firsts) if firsts else 0.0,
        next=_step(nodes),
        hosts=hosts,
        within=median(within) if within else 0.0,
        by_links=typical,
        extra=extras(between, typical, links),
        links=links,
        goes_up=goes_up,
        goes_down=goes_down,
    )


def _step(nodes: Sequence[Node]) -> float:
    """Between the departures of two children, one after the other."""
    steps = []
    for node in nodes:
        children = [times.ravel() for one, times in node.t4.items() if one != node.rank]
        if len(children) > 1:
            steps.append(float(np.median(np.diff(np.sort(np.stack(children), axis=0), axis=0))) / 1e3)
    return median(steps) if steps else 0.0


def _least_step(nodes: Sequence[Node]) -> float:
    """Between two arrivals that came together: the tenth percentile, since most do not."""
    steps = []
    for node in nodes:
        children = [times.ravel() for one, times in node.t1.items() if one != node.rank]
        if len(children) > 1:
            steps.append(float(np.percentile(np.diff(np.sort(np.stack(children), axis=0), axis=0), 10)) / 1e3)
    return median(steps) if steps else 0.0
