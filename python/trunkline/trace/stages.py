"""The way of each rank to the root and back, cut into stages that add up to its time in the call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Optional

import numpy as np
from numpy.typing import NDArray

from trunkline.trace.metrics import (
    Stats,
    arrival_wait,
    departure_wait,
    down_latency,
    proxy_latency,
    stats_of,
    up_latency,
)
from trunkline.trace.nodes import Node, Times, TreeTimes

Part = Literal["host subtree", "cluster-root subtree", "proxy"]
Kind = Literal["down latency", "arrival wait", "down proxy", "up proxy", "up latency", "departure wait"]
DOWN: tuple[Kind, ...] = ("down latency", "arrival wait", "down proxy")
"""Stages on the way to the root, as the paper turns its trees: the root is at the bottom."""
PROXIES: tuple[Kind, ...] = ("down proxy", "up proxy")
"""Between a node and its parent."""


@dataclass(frozen=True)
class Clocks:
    """How times of different ranks become comparable."""

    host: Mapping[int, str]
    """Of each rank that is traced, or whose host a plan names."""
    base_ns: Mapping[int, int]
    """Of each rank's times on its host's monotonic clock."""
    offset_ns: Mapping[int, int]
    """From a rank's host's clock to rank 0's; estimated."""
    error_ns: Mapping[int, int]

    def same(self, a: int, b: int) -> bool:
        """Whether two ranks sit on one host, and so have one clock."""
        return self.host.get(a) is not None and self.host.get(a) == self.host.get(b)

    def between(self, a: int, b: int) -> int:
        """What makes a time of `b` minus one of `a` a duration, ns."""
        plain = self.base_ns[b] - self.base_ns[a]
        return plain if self.same(a, b) else plain + self.offset_ns[b] - self.offset_ns[a]


@dataclass(frozen=True)
class Stage:
    """One step on the way of some ranks, over all calls."""

    kind: Kind
    node: int
    """Rank whose node it is; of a proxy the upper end, away from the root."""
    contributor: int | None
    """Of waits; of latencies None. Of proxies the lower end."""
    part: Part
    ranks: int
    """Whose way passes here."""
    stats: Stats

    @property
    def is_down(self) -> bool:
        """Whether it is on the way to the root."""
        return self.kind in DOWN


Key = tuple[Kind, int, Optional[int]]
StageValues = dict[Key, NDArray[np.float64]]
"""By kind, node and contributor."""


def _mean(times: Times | NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """By call: the mean over segments."""
    return None if times is None else np.asarray(times, np.float64)


def stage_values(tree: TreeTimes, clocks: Clocks) -> StageValues:
    """All stages of a tree, ns; shape (calls, segments) each."""
    found: dict[Key, NDArray[np.float64] | None] = {}
    for rank, node in tree.nodes.items():
        found["down latency", rank, None] = _mean(down_latency(node))
        found["up latency", rank, None] = _mean(up_latency(node))
        for contributor in node.contributors:
            found["arrival wait", rank, contributor] = _mean(arrival_wait(node, contributor))
            found["departure wait", rank, contributor] = _mean(departure_wait(node, contributor))
        if node.parent is not None:
            down, up = _links(node, tree.nodes[node.parent], clocks)
            found["down proxy", rank, node.parent] = down
            found["up proxy", rank, node.parent] = up
    return {key: times for key, times in found.items() if times is not None}


def _links(child: Node, parent: Node, clocks: Clocks) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """Between a node and its parent, down and up.

    Across hosts half of both ways each, as the paper splits it; on one host, and where data goes one way only, as the
    clocks say.
    """
    both = None if clocks.same(child.rank, parent.rank) else proxy_latency(child, parent)
    if both is not None:
        return both / 2.0, both / 2.0
    apart = clocks.between(child.rank, parent.rank)
    down = up = None
    if child.t2 is not None and child.rank in parent.t1:
        down = np.asarray(parent.t1[child.rank] - child.t2 + apart, np.float64)
    if child.t3 is not None and child.rank in parent.t4:
        up = np.asarray(child.t3 - parent.t4[child.rank] - apart, np.float64)
    return down, up


def _way(tree: TreeTimes, rank: int) -> list[tuple[Key, int]]:
    """The stages of a rank, each with the contributor through which it enters the node."""
    way: list[tuple[Key, int]] = []
    by = rank
    for node in tree.path(rank):
        way += [(("arrival wait", node, by), by), (("down latency", node, None), by)]
        way += [(("up latency", node, None), by), (("departure wait", node, by), by)]
        parent = tree.nodes[node].parent
        if parent is not None:
            way += [(("down proxy", node, parent), parent), (("up proxy", node, parent), parent)]
        by = node
    return way


def _part(key: Key, by: int, clocks: Clocks) -> Part:
    """A stage belongs to the host's subtree where the rank enters its node from the same host."""
    kind, node, other = key
    if kind.endswith("proxy"):
        assert other is not None
        return "host subtree" if clocks.same(node, other) else "proxy"
    return "host subtree" if clocks.same(node, by) else "cluster-root subtree"


def stages_of(tree: TreeTimes, values: StageValues, clocks: Clocks) -> list[Stage]:
    """All stages of a tree with their statistics; in the order of ranks."""
    passing: dict[Key, int] = dict.fromkeys(values, 0)
    parts: dict[Key, set[Part]] = {key: set() for key in values}
    for rank in tree.nodes:
        for key, by in _way(tree, rank):
            if key in passing:
                passing[key] += 1
                parts[key].add(_part(key, by, clocks))
    return [
        Stage(
            kind,
            node,
            other,
            "cluster-root subtree"
            if "cluster-root subtree" in parts[kind, node, other]
            else min(parts[kind, node, other]),
            passing[kind, node, other],
            stats_of(times),
        )
        for (kind, node, other), times in values.items()
        if passing[kind, node, other]
    ]


def way_of(tree: TreeTimes, stages: list[Stage], rank: int) -> list[Stage]:
    """The stages of one rank in their order: down to the root, and back up."""
    known = {(stage.kind, stage.node, stage.contributor): stage for stage in stages}
    keys = [key for key, _ in _way(tree, rank) if key in known]
    down = [known[key] for key in keys if key[0] in DOWN]
    up = [known[key] for key in keys if key[0] not in DOWN]
    # From the root on a result leaves the node, waits for its turn, and travels.
    order = {"up latency": 0, "departure wait": 1, "up proxy": 2}
    by_node = {node: number for number, node in enumerate(tree.path(rank))}
    up.sort(
        key=lambda one: (-by_node[one.node] if one.kind != "up proxy" else -by_node[one.node] - 0.5, order[one.kind])
    )
    return down + up


@dataclass(frozen=True)
class Cost:
    """What one rank spends in each part of a tree, mean microseconds a call: the rows of the paper's tables 3 and 4."""

    rank: int
    down_with_arrival_wait: float
    down: float
    up: float
    host_subtree: float
    cluster_root_subtree: float
    proxy: float
    total: float
    """Without arrival waits."""
    total_with_arrival_wait: float
    proxies: int
    """On its way, one way."""


def costs_of(tree: TreeTimes, stages: list[Stage], clocks: Clocks) -> list[Cost]:
    """The cost of each rank by part; arrival waits are in the totals with them alone."""
    means: dict[Key, float] = {(stage.kind, stage.node, stage.contributor): stage.stats.mean for stage in stages}
    found = []
    for rank in sorted(tree.nodes):
        by_part: dict[Part, float] = {"host subtree": 0.0, "cluster-root subtree": 0.0, "proxy": 0.0}
        down = up = wait = 0.0
        for key, by in _way(tree, rank):
            if key not in means:
                continue
            if key[0] == "arrival wait":
                wait += means[key]
                continue
            part = _part(key, by, clocks)
            by_part[part] += means[key]
            if key[0] in DOWN:
                down += means[key]
            else:
                up += means[key]
        hops = sum(not clocks.same(a, b) for a, b in zip(tree.path(rank), tree.path(rank)[1:]))
        found.append(
            Cost(
                rank,
                down + wait,
                down,
                up,
                by_part["host subtree"],
                by_part["cluster-root subtree"],
                by_part["proxy"],
                down + up,
                down + up + wait,
                hops,
            )
        )
    return found
