"""Random clusters as the journal paper may have drawn them, and orders in which a depth-first search may go.

The paper adds random links between switches "until a tree that connects all nodes is formed", and leaves out those that
"violate the tree property". That can be read in two ways, and which neighbour a search takes first it does not say.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from trunkline import _core
from trunkline.random_cluster import cluster_of_links, random_homes, random_tree

__all__ = ["DRAWINGS", "ORDERS", "ROOTS", "Drawn", "draw_cluster"]

DRAWINGS = {
    "pieces": "a link is kept where it closes no ring: pieces grow anywhere and join",
    "growing": "a link is kept where it joins a switch to the one tree, which grows from the first switch",
}
ORDERS = {
    "drawn": "the neighbour whose link was drawn first",
    "few-first": "the neighbour with the fewest machines behind it",
    "many-first": "the neighbour with the most machines behind it",
}
ROOTS = {
    "random": "a machine with equal chances",
    "middle": "a machine on a switch from which the farthest one is nearest",
}
Link = tuple[int, int]


@dataclass(frozen=True)
class Drawn:
    """A cluster whose depth-first order from a root is the one that was asked for."""

    cluster: _core.Cluster
    root: int


def draw_cluster(
    machines: int,
    switches: int,
    rng: random.Random,
    drawing: str = "pieces",
    order: str = "drawn",
    root: str = "random",
) -> Drawn:
    """One random cluster.

    Args:
        machines: That many, each on a switch with equal chances.
        switches: That many.
        rng: Gives the same topology, homes and random root whatever the order.
        drawing: One of :data:`DRAWINGS`.
        order: One of :data:`ORDERS`.
        root: One of :data:`ROOTS`.
    """
    links = random_tree(switches, rng) if drawing == "pieces" else _growing_tree(switches, rng)
    homes = random_homes(machines, switches, rng)
    by_rank = sorted(homes)  # a cluster has the machines of a switch in a row
    start = rng.randrange(machines)
    near = _neighbours(switches, links)
    if root == "middle":
        start = by_rank.index(min(set(homes), key=lambda switch: max(_distances(near, switch))))
    if order != "drawn":
        links = _searched(near, homes, by_rank[start], many_first=order == "many-first")
    return Drawn(cluster_of_links(switches, links, homes), start)


def _growing_tree(switches: int, rng: random.Random) -> list[Link]:
    joined = [True] + [False] * (switches - 1)
    links: list[Link] = []
    while len(links) < switches - 1:
        a, b = rng.randrange(switches), rng.randrange(switches)
        if joined[a] != joined[b]:
            joined[a] = joined[b] = True
            links.append((a, b))
    return links


def _neighbours(switches: int, links: Sequence[Link]) -> list[list[int]]:
    near: list[list[int]] = [[] for _ in range(switches)]
    for a, b in links:
        near[a].append(b)
        near[b].append(a)
    return near


def _distances(near: Sequence[Sequence[int]], start: int) -> list[int]:
    distance = {start: 0}
    open_switches = deque([start])
    while open_switches:
        switch = open_switches.popleft()
        for other in near[switch]:
            if other not in distance:
                distance[other] = distance[switch] + 1
                open_switches.append(other)
    return list(distance.values())


def _searched(near: Sequence[Sequence[int]], homes: Sequence[int], start: int, *, many_first: bool) -> list[Link]:
    """The links, so that of each switch's those come first that are searched first from ``start``."""
    above = {start: start}
    order = [start]
    for switch in order:
        for other in near[switch]:
            if other not in above:
                above[other] = switch
                order.append(other)
    behind = [0] * len(near)
    for home in homes:
        behind[home] += 1
    for switch in reversed(order[1:]):
        behind[above[switch]] += behind[switch]
    links = []
    for switch in order:
        below = [other for other in near[switch] if above[other] == switch and other != start]
        links += [(switch, other) for other in sorted(below, key=behind.__getitem__, reverse=many_first)]
    return links
