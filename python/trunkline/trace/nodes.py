"""The four timestamps at each node of a tree, call by call.

As the paper has them: t1 of each contributor, when it arrives; t2, when the node hands down towards the root; t3, when
the result is back; t4 of each contributor, when it departs. A node is a rank. Its contributors are its children and
itself, which arrives when the call begins and departs when it is over. Times are ns of the node's own clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Optional

import numpy as np
from numpy.typing import NDArray

from trunkline.trace.calls import RankCalls
from trunkline.trace.file import ARRIVED, COMPLETE, HANDED_ON, HEARD, SUM, TOLD

Times = NDArray[np.int64]
"""Shape (calls, segments of the tree)."""

Parents = Mapping[int, Optional[int]]
"""By rank the one that it hangs below; None: the root."""


@dataclass(frozen=True)
class Slots:
    """The events of one rank in the calls of a group: the same ones in each call."""

    start: NDArray[np.int64]
    """By call, ns."""
    end: NDArray[np.int64]
    times: dict[tuple[int, int, int], Times]
    """By kind, tree and peer: shape (calls, parts); parts ascend. The events of a round may be several: the last."""
    parts: dict[tuple[int, int, int], NDArray[np.int64]]
    """Of each the numbers of its parts."""
    whole: NDArray[np.bool_]
    """By call: has all of its events."""
    sums: NDArray[np.int64]
    """By call: when this rank, the last of its host to come, sent the host's sum on; -1: another one did."""


def slots_of(calls: RankCalls, places: NDArray[np.int64]) -> Slots:
    """The events of the calls at these places of a rank's list."""
    numbers = np.full(len(calls), -1, np.int64)
    numbers[places] = np.arange(len(places))
    mine = numbers[calls.event_call]
    kind = calls.event_what & np.uint64(15)
    sent = np.flatnonzero((mine >= 0) & (kind == SUM))
    sums = np.full(len(places), -1, np.int64)
    sums[mine[sent]] = calls.event_time[sent]
    of_tree = ~np.isin(kind, (TOLD, HEARD, SUM))
    chosen = np.flatnonzero((mine >= 0) & of_tree)
    call, time, what = mine[chosen], calls.event_time[chosen], calls.event_what[chosen]
    # Kind, tree, peer and part: whatever tells the events of one call apart.
    unique, slot, counts = np.unique(what, return_inverse=True, return_counts=True)
    usual = counts > len(places) // 2  # events of an odd call do not make a slot
    grid = np.full((int(usual.sum()), len(places)), -1, np.int64)
    row = np.cumsum(usual) - 1
    kept = usual[slot]
    grid[row[slot[kept]], call[kept]] = time[kept]
    whole: NDArray[np.bool_] = np.all(grid >= 0, axis=0)
    odd = np.unique(call[~kept])
    whole[odd] = False
    by_stream: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for number, word in enumerate(unique[usual].tolist()):
        stream = (word & 15, word >> 4 & 31, word >> 12 & 0xFFFFF)
        by_stream.setdefault(stream, []).append((word >> 32, number))
    times, parts = {}, {}
    for stream, listed in by_stream.items():
        listed.sort()
        times[stream] = grid[[number for _, number in listed]].T
        parts[stream] = np.array([part for part, _ in listed], np.int64)
    return Slots(calls.start[places], calls.end[places], times, parts, whole, sums)


@dataclass
class Node:
    """A rank in one tree."""

    rank: int
    parent: int | None
    t1: dict[int, Times] = field(default_factory=dict)
    """By contributor, the node itself among them; empty where nothing comes up."""
    t2: Times | None = None
    t3: Times | None = None
    t4: dict[int, Times] = field(default_factory=dict)
    """By contributor; empty where nothing goes back."""

    @property
    def contributors(self) -> list[int]:
        """The node itself first, then its children by number."""
        seen = self.t1 or self.t4
        return [self.rank, *sorted(one for one in seen if one != self.rank)]


@dataclass
class TreeTimes:
    """All nodes of one tree, and the calls that all of them have whole."""

    number: int
    root: int
    nodes: dict[int, Node]
    whole: NDArray[np.bool_]
    """Which calls of the group are in the times."""
    by_arrival: bool = False
    """Whether ranks of a host combined as they came: they contribute to the one that speaks for them."""

    def path(self, rank: int) -> list[int]:
        """From a rank to the root, both among them."""
        found: list[int] = [rank]
        while (parent := self.nodes[found[-1]].parent) is not None:
            found.append(parent)
        return found


def _alike(slots: dict[int, Slots], tree: int) -> bool:
    """Whether all of a tree's ranks have the same segments: damaged records may say otherwise."""
    parts = [found for one in slots.values() for (_, of_tree, _), found in one.parts.items() if of_tree == tree]
    return all(np.array_equal(parts[0], found) for found in parts)


def _parents(slots: dict[int, Slots], tree: int, collective_root: int) -> Parents | None:
    """Who hangs below whom: from the root along the messages. None where they are no tree."""
    neighbours: dict[int, set[int]] = {rank: set() for rank in slots}
    for rank, one in slots.items():
        for kind, of_tree, peer in one.times:
            if of_tree == tree and kind in (ARRIVED, HANDED_ON):
                if peer not in slots:
                    return None
                neighbours[rank].add(peer)
                neighbours[peer].add(rank)
    if sum(map(len, neighbours.values())) != 2 * (len(slots) - 1) or not _alike(slots, tree):
        return None
    tops = [rank for rank, one in slots.items() if (COMPLETE, tree, 0) in one.times]
    if not tops:  # a broadcast: nothing comes to the root
        tops = [rank for rank, one in slots.items() if not any(k == ARRIVED and t == tree for k, t, _ in one.times)]
    if len(tops) != 1:
        tops = [collective_root]
    parents: dict[int, int | None] = {tops[0]: None}
    stack = [tops[0]]
    while stack:
        here = stack.pop()
        for there in neighbours[here]:
            if there not in parents:
                parents[there] = here
                stack.append(there)
    return parents if len(parents) == len(slots) else None


def _connected(parents: Parents, slots: dict[int, Slots]) -> Parents | None:
    """The ranks that are traced and from which all ranks to the root are; None where the root is not."""
    found: dict[int, int | None] = {}
    for rank in sorted(parents):
        way, here = [rank], parents[rank]
        while here is not None:
            way.append(here)
            here = parents[here]
        if all(one in slots for one in way):
            found[rank] = parents[rank]
    return found or None


def _met(parents: Parents, slots: dict[int, Slots], tree: int) -> dict[int, int]:
    """Ranks that combined with others of their host as they came, and the one that speaks for all of them.

    Such a rank has told that its operand went on, and its parent in the plan has not told that it came.
    """

    def meets(rank: int) -> bool:
        above = parents[rank]
        told = above is not None and (HANDED_ON, tree, above) in slots[rank].times
        return told and (ARRIVED, tree, rank) not in slots[above].times  # type: ignore[index]

    met = {rank for rank in parents if meets(rank)}
    tops = {}
    for rank in met:
        top: int | None = rank
        while top in met:
            top = parents[top]
        assert top is not None, "the root's operand goes nowhere"
        tops[rank] = top
    return tops


def _sums(
    slots: dict[int, Slots], tops: Mapping[int, int], between: Callable[[int, int], int]
) -> dict[int, NDArray[np.int64]]:
    """By rank that speaks for its host, and by call: when the last to come sent the sum on, by that rank's clock.

    -1: never, as on the root's host.
    """
    found = {}
    for top in set(tops.values()):
        of_host = [top, *(rank for rank, speaks in tops.items() if speaks == top)]
        sums = [(slots[rank].sums, 0 if rank == top else between(top, rank)) for rank in of_host]
        found[top] = np.max([np.where(times >= 0, times + apart, -1) for times, apart in sums], axis=0)
    return found


def _at_one_wrapper(nodes: dict[int, Node], tops: Mapping[int, int], between: Callable[[int, int], int]) -> None:
    """Hang ranks that met below the one that speaks for them: they arrive as they hand on, depart with the result."""
    for rank in sorted(tops):
        node, top = nodes[rank], nodes[tops[rank]]
        node.parent = top.rank
        apart = between(top.rank, rank)
        if node.t2 is not None:
            top.t1[rank] = node.t2 + apart
        if node.t3 is not None:
            top.t4[rank] = node.t3 + apart


def tree_times(
    slots: dict[int, Slots],
    root: int,
    planned: Sequence[Parents] = (),
    between: Callable[[int, int], int] = lambda _, __: 0,
) -> list[TreeTimes] | None:
    """The nodes of each tree of a group's plan; None where its messages are no trees, so it goes by rounds.

    Args:
        slots: Of each rank of a group.
        root: Rank of MPI_COMM_WORLD at which the collective is rooted.
        planned: Of each tree of the plan the parents of its ranks, where they are known: where some ranks are not
            traced, the tree is told as far as it hangs together from the root on.
        between: What is added to a time of the second rank for the first one's clock; asked for ranks of one host.
    """
    numbers = sorted({tree for one in slots.values() for _, tree, _ in one.times})
    if not numbers:
        return None
    whole = np.logical_and.reduce([one.whole for one in slots.values()])
    up = any(kind == COMPLETE for one in slots.values() for kind, _, _ in one.times)
    found = []
    for number in numbers:
        parents = known = _parents(slots, number, root)
        if parents is None and number < len(planned) and not planned[number].keys() <= slots.keys():
            known = planned[number]
            parents = _connected(known, slots)
        if parents is None or known is None:
            return None
        tops = _met(parents, slots, number) if up else {}
        by_message = {rank: above for rank, above in known.items() if rank not in tops}
        sums = {rank: times for rank, times in _sums(slots, tops, between).items() if parents[rank] is not None}
        whole = np.logical_and.reduce([whole, *(times >= 0 for times in sums.values())])
        speakers = set(tops.values())
        nodes = {
            rank: _node(rank, parents[rank], by_message, slots[rank], number, whole, up, rank in speakers)
            for rank in sorted(parents)
        }
        for rank, times in sums.items():
            nodes[rank].t2 = times[whole][:, None]
        _at_one_wrapper(nodes, tops, between)
        top = next(rank for rank, parent in parents.items() if parent is None)
        found.append(TreeTimes(number, top, nodes, whole, by_arrival=bool(tops)))
    return found


def _node(
    rank: int,
    parent: int | None,
    parents: Parents,
    slots: Slots,
    tree: int,
    whole: NDArray[np.bool_],
    up: bool,
    speaks: bool,
) -> Node:
    def of(kind: int, peer: int) -> Times | None:
        found = slots.times.get((kind, tree, peer))
        return None if found is None else found[whole]

    node = Node(rank, parent)
    children = [one for one, above in parents.items() if above == rank]
    peers: Sequence[int] = [*children, *([] if parent is None else [parent])]
    segments = max(
        (found.shape[1] for kind in (ARRIVED, HANDED_ON) for peer in peers if (found := of(kind, peer)) is not None),
        default=1,
    )
    own_start = np.repeat(slots.start[whole][:, None], segments, axis=1)
    own_end = np.repeat(slots.end[whole][:, None], segments, axis=1)
    if up:
        node.t1 = {rank: own_start} | {child: found for child in children if (found := of(ARRIVED, child)) is not None}
        node.t2 = of(COMPLETE, 0) if parent is None else of(HANDED_ON, parent)
    back = {child: found for child in children if (found := of(HANDED_ON, child)) is not None}
    result = None if parent is None else of(ARRIVED, parent)
    if parent is None and (back or speaks or not up):
        result = of(COMPLETE, 0) if up else _ready(own_start, back)
    if result is not None:
        node.t3 = result
        node.t4 = {rank: own_end} | back
    return node


def _ready(start: Times, back: dict[int, Times]) -> Times:
    """When the root of a broadcast turns to each segment: at the call's start, then after the one before."""
    ready: Times = start.copy()
    if back:
        last = np.max(list(back.values()), axis=0)
        ready[:, 1:] = np.maximum(ready[:, 1:], last[:, :-1])
    return ready
