"""Several nodes of a tree as one: the metrics of the paper's host subtrees and cluster-root subtree.

What is known of a node is known of nodes that hang together: their contributors enter from outside, or are their own
ranks. What one of them spends within is the sum of its stages there. So clocks of two hosts are compared as little as
by these stages, which halve the way there and back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trunkline.compat import zip_equal
from trunkline.draw.names import without_domain
from trunkline.trace.metrics import Stats, stats_of
from trunkline.trace.nodes import TreeTimes
from trunkline.trace.stages import Clocks, Key, Kind, StageValues

MOST_HOSTS = 64
"""Host subtrees are told of so many hosts at most, those with most nodes first."""


@dataclass(frozen=True)
class Subtree:
    """Nodes that hang together, as one."""

    name: str
    root: int
    """Its node next to the tree's root."""
    nodes: list[int]
    contributors: list[tuple[int, int]]
    """Node and contributor: ranks of the nodes themselves, and nodes that hang below from outside."""
    down_latency: Stats | None
    """From the last arrival until its root hands down; None where nothing goes that way."""
    up_latency: Stats | None
    """From the result at its root to the first departure; None where nothing goes that way."""
    curve: list[float]
    """Mean microseconds from the result to the first departure, to the second, ...; the paper's figures 10, 16, 21."""
    arrival_wait: float | None
    """Mean microseconds of a contributor."""

    @property
    def last_departure(self) -> float | None:
        """Mean microseconds from the result at its root until all have it."""
        return self.curve[-1] if self.curve else None


def subtrees_of(tree: TreeTimes, values: StageValues, clocks: Clocks) -> list[Subtree]:
    """The cluster-root subtree, where nodes combine what comes from other hosts, and the subtree of each host.

    Args:
        tree: Its nodes.
        values: Its stages.
        clocks: Says which ranks share a host.
    """
    found = []
    beyond = {
        rank
        for rank, node in tree.nodes.items()
        if any(not clocks.same(rank, contributor) for contributor in node.contributors)
    }
    if beyond:
        between = {above for rank in beyond for above in tree.path(rank)}
        found.append(_subtree("cluster-root subtree", tree, values, between))
    parts: dict[int, set[int]] = {}
    for rank in tree.nodes:
        top = rank
        while (parent := tree.nodes[top].parent) is not None and clocks.same(top, parent):
            top = parent
        parts.setdefault(top, set()).add(rank)
    several = [(top, nodes) for top, nodes in parts.items() if len(nodes) > 1]
    names = dict(zip_equal(clocks.host, without_domain(list(clocks.host.values()))))
    for top, nodes in sorted(several, key=lambda one: (-len(one[1]), one[0]))[:MOST_HOSTS]:
        what = "host subtree of the root" if top == tree.root else "host subtree"
        found.append(_subtree(f"{what}, {names[top]}", tree, values, nodes, own_alone=True))
    return found


def chosen_subtree(tree: TreeTimes, values: StageValues, rank: int, levels: int | None) -> Subtree:
    """The subtree of one rank.

    Args:
        tree: Its nodes.
        values: Its stages.
        rank: Whose; of the tree.
        levels: So many from the rank on, at least one; None: all.
    """
    below = {node: tree.path(node).index(rank) for node in tree.nodes if rank in tree.path(node)}
    nodes = {one for one, level in below.items() if levels is None or level < levels}
    depth = "" if levels is None else f", {levels} level{'s' * (levels > 1)}"
    return _subtree(f"subtree of rank {rank}{depth}", tree, values, nodes)


def _subtree(name: str, tree: TreeTimes, values: StageValues, nodes: set[int], own_alone: bool = False) -> Subtree:
    """`own_alone`: departures are those of the nodes' own ranks, as in the paper's host subtrees."""
    root = min(nodes, key=lambda rank: len(tree.path(rank)))
    contributors = [
        (rank, contributor)
        for rank in sorted(nodes)
        for contributor in tree.nodes[rank].contributors
        if contributor == rank or contributor not in nodes
    ]
    downs = [_within(tree, values, nodes, pair, _DOWN) for pair in contributors]
    ups = [_within(tree, values, nodes, pair, _UP) for pair in contributors if not own_alone or pair[0] == pair[1]]
    down, up = _stacked(downs), _stacked(ups)
    first_down = None if down is None else down.min(axis=0)
    return Subtree(
        name,
        root,
        sorted(nodes),
        contributors,
        None if first_down is None else stats_of(first_down),
        None if up is None else stats_of(up.min(axis=0)),
        [] if up is None else [float(row.mean()) / 1e3 for row in np.sort(up, axis=0)],
        None if down is None or first_down is None else float((down - first_down).mean()) / 1e3,
    )


_DOWN: tuple[Kind, Kind, Kind] = ("arrival wait", "down latency", "down proxy")
_UP: tuple[Kind, Kind, Kind] = ("departure wait", "up latency", "up proxy")
"""Of the contributor, of the node, of the way to the next node."""


def _within(
    tree: TreeTimes, values: StageValues, nodes: set[int], pair: tuple[int, int], kinds: tuple[Kind, Kind, Kind]
) -> NDArray[np.float64] | None:
    """What a contributor spends within the nodes on one way, ns by call; None where it does not go that way."""
    wait, latency, proxy = kinds
    node, one = pair
    keys: list[Key] = [(wait, node, one), (latency, node, None)]
    while (parent := tree.nodes[node].parent) is not None and parent in nodes:
        keys += [(proxy, node, parent), (wait, parent, node), (latency, parent, None)]
        node = parent
    if any(key not in values for key in keys):
        return None
    total: NDArray[np.float64] = np.sum([values[key] for key in keys], axis=0)
    return total


def _stacked(times: Iterable[NDArray[np.float64] | None]) -> NDArray[np.float64] | None:
    """Shape (contributors, calls times segments); None where some do not go that way."""
    listed = list(times)
    known = [one.ravel() for one in listed if one is not None]
    return np.stack(known) if known and len(known) == len(listed) else None
