"""Gsum as the allreduce paper's own runtime runs it: ranks are threads that combine in memory, the last one goes on.

A node of the tree is one of the paper's wrappers. Whoever comes to it adds its operand and waits; the last to come
carries the sum on. With the result it departs first, and the others one after another in the order in which they came.
What goes to another host is sent and received by threads that need one of that host's processors.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count, groupby

from trunkline.edits.host_tree import HostTree

__all__ = ["RUNTIMES", "Runtime", "allreduce_seconds"]


@dataclass(frozen=True)
class Runtime:
    """What the paper measured on the hosts of a cluster, seconds."""

    processors: int
    """Of a host."""
    down_s: float
    """Down latency of a wrapper: from the last arrival to its going on."""
    up_s: tuple[float, float]
    """Up latency, within hosts and in the cluster-root subtree: until the first departs with the result."""
    next_s: tuple[float, float]
    """Between departures: twice the mean departure wait of two contributors."""
    core_s: float
    """At the root."""
    handling_s: float
    """Of a processor, for a message that it sends or receives: a fourth of the proxy's latency without the links."""
    source: str


def _scaled(processors: int, by: float, proxy_s: float, core_s: float, source: str) -> Runtime:
    """Hosts on which all that table 2 states of 8W takes so many times as long, but for proxy and core."""
    links_s = 68e-6  # there and back: two links of 100 Mbit/s and 10 us, a frame of 84 bytes on each
    up, following = (25e-6 * by, 17e-6 * by), (50e-6 * by, 22e-6 * by)
    return Runtime(processors, 6.5e-6 * by, up, following, core_s, (proxy_s - links_s) / 4, source)


RUNTIMES = {
    "8w": _scaled(8, 1.0, 333e-6, 11e-6, "table 2"),
    "4w": _scaled(4, 200 / 166, 351e-6, 13e-6, "table 2 by the clock; two proxies 703 us (section 6.2.1)"),
    "now": _scaled(2, 21 / 56, 356e-6, 6e-6, "table 4: a host's two threads take 21 us, on 8W 56; a proxy 356 us"),
    "blade": _scaled(1, 200 / 900, 127e-6, 2.4e-6, "table 2 by the clock: no figure is stated"),
}
"""By bundled cluster."""

_WARM_UP = 10
_COUNTED = 40
_RATE_BPS, _LATENCY_S = 100e6, 10e-6
"""Of the link of each host."""
_LEAST_FRAME, _FITS = 84, 6
"""Bytes on the wire of an Ethernet frame, and of a message that fits into it behind TCP's headers."""


@dataclass(eq=False)
class _Node:
    """A wrapper, or a thread: one without contributors."""

    host: str
    contributors: list[_Node] = field(default_factory=list)
    parent: _Node | None = None
    came: dict[int, list[_Node]] = field(default_factory=dict)
    """By iteration, in order."""

    @property
    def is_within(self) -> bool:
        return all(one.host == self.host for one in self.contributors)


def _combined(start: _Node | None, joining: list[tuple[int, _Node]], host: str) -> _Node:
    """A wrapper for each level, from below: who joins there, and what has come together before."""
    top = start
    for _, some in groupby(sorted(joining, key=lambda one: one[0]), key=lambda one: one[0]):
        below = [*([top] if top else []), *(node for _, node in some)]
        top = below[0] if len(below) == 1 else _Node(host, below)
        for one in below if top is not below[0] else []:
            one.parent = top
    assert top is not None, "somebody joins, or there is a start"
    return top


class _Wrappers:
    """Of a tree over ranks, the paper's: a host's ranks combine by themselves, and hosts in the cluster-root subtree.

    A rank that combines other hosts stands for a wrapper of that subtree; as a thread it belongs to its own host's.
    """

    def __init__(self, tree: HostTree) -> None:
        self._tree = tree

    def of(self, rank: int) -> tuple[int, _Node]:
        """A host's top with all below it, and how many levels hosts join on."""
        joining = self._others(rank)
        levels = 1 + max((level for level, _ in joining), default=-1)
        return levels, _combined(self._own(rank), joining, self._tree.hosts[rank])

    def _own(self, rank: int) -> _Node:
        below = [(self._tree.height_within(child), self._own(child)) for child in self._tree.within(rank)]
        return _combined(_Node(self._tree.hosts[rank]), below, self._tree.hosts[rank])

    def _others(self, rank: int) -> list[tuple[int, _Node]]:
        """Hosts that join below a rank of a host, and on which level."""
        joining = [self.of(child) for child in self._tree.beyond(rank)]
        for child in self._tree.within(rank):
            if others := self._others(child):
                levels = 1 + max(level for level, _ in others)
                joining.append((levels, _combined(None, others, self._tree.hosts[rank])))
        return joining


class _Run:
    """Threads that call allreduce after allreduce."""

    def __init__(self, tree: HostTree, runtime: Runtime, message_bytes: int) -> None:
        self._runtime = runtime
        self._frame_s = (_LEAST_FRAME + max(0, message_bytes - _FITS)) * 8 / _RATE_BPS
        self._sends_at = dict.fromkeys(tree.host_names, 0.0)
        self._hears_at = dict.fromkeys(tree.host_names, 0.0)
        self._free_at = {host: [0.0] * runtime.processors for host in tree.host_names}
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._order = count()
        self._ended: dict[int, list[float]] = {}
        _, self._root = _Wrappers(tree).of(tree.root)
        self._threads = list(_threads(self._root))

    def seconds(self) -> float:
        """Of an allreduce once all is under way."""
        for thread in self._threads:
            self._at(0.0, partial(self._up_from, thread, 0))
        while self._events:
            now, _, happens = heapq.heappop(self._events)
            happens(now)
        ends = [max(self._ended[call]) for call in range(_WARM_UP + _COUNTED)]
        return (ends[-1] - ends[_WARM_UP - 1]) / _COUNTED

    def _at(self, when: float, happens: Callable[[float], None]) -> None:
        heapq.heappush(self._events, (when, next(self._order), happens))

    def _handled(self, host: str, now: float) -> float:
        """When one of the host's processors has sent or received a message."""
        free_at = self._free_at[host]
        return heapq.heapreplace(free_at, max(free_at[0], now) + self._runtime.handling_s)  # the new end is below

    def _carry(self, origin: str, to: str, now: float, then: Callable[[float], None]) -> None:
        """To another wrapper, by a proxy where that is on another host."""
        if origin == to:
            then(now)
            return
        sent = max(self._handled(origin, now), now) + self._runtime.handling_s

        def receive(arrives: float) -> None:
            self._at(max(self._handled(to, arrives), arrives) + self._runtime.handling_s, then)

        # Store and forward: a port carries one frame after another, on both links.
        start = self._sends_at[origin] = max(self._sends_at[origin], sent) + self._frame_s
        there = self._hears_at[to] = max(self._hears_at[to], start + _LATENCY_S) + self._frame_s
        self._at(there + _LATENCY_S, receive)

    def _up_from(self, one: _Node, call: int, now: float) -> None:
        """Its operand goes on towards the root."""
        parent = one.parent
        if parent is None:
            self._at(now + self._runtime.core_s, lambda then: self._back_to(one, call, then))
            return
        self._carry(one.host, parent.host, now, lambda then: self._arrive(parent, one, call, then))

    def _arrive(self, node: _Node, one: _Node, call: int, now: float) -> None:
        came = node.came.setdefault(call, [])
        came.append(one)
        if len(came) == len(node.contributors):
            self._at(now + self._runtime.down_s, lambda then: self._up_from(node, call, then))

    def _back_to(self, node: _Node, call: int, now: float) -> None:
        """The result has come."""
        if not node.contributors:
            self._ended.setdefault(call, []).append(now)
            if call + 1 < _WARM_UP + _COUNTED:
                self._at(now, lambda then: self._up_from(node, call + 1, then))
            return
        kind = 0 if node.is_within else 1
        *first, last = node.came.pop(call)
        for place, one in enumerate([last, *first]):
            departs = now + self._runtime.up_s[kind] + place * self._runtime.next_s[kind]
            self._at(departs, partial(self._depart, node, one, call))

    def _depart(self, node: _Node, one: _Node, call: int, now: float) -> None:
        self._carry(node.host, one.host, now, lambda then: self._at(then, lambda when: self._back_to(one, call, when)))


def _threads(node: _Node) -> Iterator[_Node]:
    if not node.contributors:
        yield node
    for one in node.contributors:
        yield from _threads(one)


def allreduce_seconds(tree: HostTree, runtime: Runtime, message_bytes: int) -> float:
    """The mean time of an allreduce when threads call one after another, along two trees by turns as in Gsum.

    Args:
        tree: Over all ranks.
        runtime: Of its hosts, which are alike.
        message_bytes: Of the operand.
    """
    return _Run(tree, runtime, message_bytes).seconds()
