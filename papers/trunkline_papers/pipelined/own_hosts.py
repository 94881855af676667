"""Broadcasts on the hosts of the papers on pipelined broadcasts, replayed with what their table 2 states of them.

A message of m bytes keeps its sender's port, and its receiver's, for g(m), and is there after L(m) + g(m). Between
switches it keeps each channel for as long as its bytes are on the wire, so messages that share one wait for each other.
That is the papers' model (their formulas 1 and 2 come out), with contention.

What a message takes of a host's one processor the tables do not state; they bound it. At 1000 Mbit/s g(m) "covers" both
ends, so neither takes longer than it, and the same processors have the slower network. ``Processors.ports`` counts
nothing, as the papers' model does. ``Processors.most`` counts all that the tables allow: g(m) of 1000 Mbit/s for each
message that is sent, and the same for each that is received, one after the other.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline_papers.pipelined.published import paper_costs

__all__ = [
    "SEGMENTS",
    "Hosts",
    "Processors",
    "Programs",
    "allgather_programs",
    "mpich_programs",
    "replay",
    "tree_programs",
]

SEGMENTS = (256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
"""Bytes, as the papers try them."""
_WIRE = _core.frame_wire_bytes / _core.frame_payload_bytes


class Processors(Enum):
    """What of a host's processor messages take."""

    ports = "ports alone"
    most = "processors, at most"


@dataclass(frozen=True)
class Hosts:
    """The hosts on a network of that rate: seconds of a message by its bytes."""

    rate_bps: float
    processors: Processors

    def gap_s(self, count: int) -> float:
        """g(m) of this network."""
        return _between(_network(self.rate_bps), 0, count)

    def latency_s(self, count: int) -> float:
        """L(m) of this network."""
        return _between(_network(self.rate_bps), 1, count)

    def handling_s(self, count: int) -> float:
        """What the processor of either end takes."""
        return 0.0 if self.processors is Processors.ports else _between("1Gbit", 0, count)

    def wire_s(self, count: int) -> float:
        """Of a channel between switches."""
        return count * 8 * _WIRE / self.rate_bps


def _network(rate_bps: float) -> str:
    return "1Gbit" if rate_bps > 3e8 else "100Mbit"


@lru_cache(maxsize=4096)
def _between(network: str, column: int, count: int) -> float:
    """Table 2 between its sizes; below the first what that takes, and above the last g(m) in proportion."""
    table = paper_costs(network)
    sizes = sorted(table)
    if count <= sizes[0]:
        return table[sizes[0]][column]
    if count >= sizes[-1]:
        return table[sizes[-1]][column] * (count / sizes[-1] if column == 0 else 1.0)
    after = bisect_left(sizes, count)
    low, high = sizes[after - 1], sizes[after]
    part = (count - low) / (high - low)
    return (1 - part) * table[low][column] + part * table[high][column]


@dataclass(frozen=True)
class Send:
    """A step of a rank: it sends so many bytes."""

    to: int
    count: int


@dataclass(frozen=True)
class Receive:
    """A step of a rank: it waits for the next message from there."""

    source: int


Programs = Sequence[Sequence["Send | Receive"]]
"""Steps by rank, one after another."""


def tree_programs(tree: _core.Tree, message_bytes: int, segment_bytes: int) -> Programs:
    """Each segment is received, then sent to all children in order."""
    count = max(1, -(-message_bytes // segment_bytes))
    pieces = [min(segment_bytes, message_bytes - number * segment_bytes) for number in range(count)]
    programs: list[list[Send | Receive]] = []
    for parent, children in zip_equal(tree.parent, tree.children):
        steps: list[Send | Receive] = []
        for piece in pieces:
            if parent is not None:
                steps.append(Receive(parent))
            steps += [Send(child, piece) for child in children]
        programs.append(steps)
    return programs


_SHORT, _LONG, _FEW = 12288, 524288, 8
"""Where MPICH2 1.0.1 changes its broadcast: bytes, and ranks."""


def mpich_programs(ranks: int, message_bytes: int) -> Programs:
    """What MPICH2 1.0.1 runs from rank 0: a binomial tree, or a scatter and an allgather with doubling or on a ring."""
    if message_bytes < _SHORT or ranks < _FEW:
        tree = _core.lay_trees("bcast", "binomial", None, list(range(ranks)), 0)[0]
        return tree_programs(tree, message_bytes, message_bytes)
    is_power_of_two = ranks & (ranks - 1) == 0
    return allgather_programs(ranks, message_bytes, doubling=message_bytes < _LONG and is_power_of_two)


def allgather_programs(ranks: int, message_bytes: int, *, doubling: bool) -> Programs:
    """A binomial scatter from rank 0, then an allgather of the parts.

    Args:
        ranks: A power of two, where ``doubling``.
        message_bytes: Of the broadcast.
        doubling: Recursive doubling; else a ring.
    """
    part = -(-message_bytes // ranks)
    programs: list[list[Send | Receive]] = [[] for _ in range(ranks)]
    top = 1 << (ranks - 1).bit_length()
    for rank in range(ranks):
        low = rank & -rank if rank else top
        if rank:
            programs[rank].append(Receive(rank - low))
        step = low // 2
        while step:
            if rank + step < ranks:
                programs[rank].append(Send(rank + step, part * min(step, ranks - rank - step)))
            step //= 2
    for rank in range(ranks):
        if doubling:
            step = 1
            while step < ranks:
                programs[rank] += [Send(rank ^ step, part * step), Receive(rank ^ step)]
                step *= 2
        else:
            for _ in range(ranks - 1):
                programs[rank] += [Send((rank + 1) % ranks, part), Receive((rank - 1) % ranks)]
    return programs


def replay(cluster: _core.Cluster, hosts: Hosts, programs: Programs) -> float:
    """Seconds until the last rank has done its last step; rank r is on host r.

    What is earliest is done first, so that messages pass a channel in the order in which they were sent.
    """
    return _Replay(_trunks(cluster), hosts, programs).seconds()


def _trunks(cluster: _core.Cluster) -> Callable[[int, int], Sequence[int]]:
    """Channels between switches on the way from one rank to another."""
    names, known = cluster.hosts, dict[tuple[int, int], Sequence[int]]()

    def way(a: int, b: int) -> Sequence[int]:
        if (a, b) not in known:
            known[a, b] = list(cluster.path(names[a], names[b]))[1:-1]
        return known[a, b]

    return way


class _Replay:
    def __init__(self, trunks: Callable[[int, int], Sequence[int]], hosts: Hosts, programs: Programs) -> None:
        self._trunks, self._hosts, self._programs = trunks, hosts, programs
        self._done = [0] * len(programs)
        self._at = [0.0] * len(programs)
        """When the processor of each rank is free."""
        self._out = [0.0] * len(programs)
        self._in = [0.0] * len(programs)
        self._channels = defaultdict[int, float](float)
        self._arrived = defaultdict[tuple[int, int], list[tuple[float, int]]](list)
        self._taken = defaultdict[tuple[int, int], int](int)
        self._waiting: dict[tuple[int, int], int] = {}
        self._ready = [(0.0, rank) for rank in range(len(programs))]

    def seconds(self) -> float:
        while self._ready:
            _, rank = heapq.heappop(self._ready)
            self._step(rank)
        assert not self._waiting, "ranks wait for each other without end"
        return max(self._at)

    def _step(self, rank: int) -> None:
        if self._done[rank] == len(self._programs[rank]):
            return
        step = self._programs[rank][self._done[rank]]
        if isinstance(step, Send):
            self._send(rank, step)
        else:
            way = step.source, rank
            if self._taken[way] == len(self._arrived[way]):
                self._waiting[way] = rank
                return
            arrival_s, count = self._arrived[way][self._taken[way]]
            self._taken[way] += 1
            self._at[rank] = max(arrival_s, self._at[rank] + self._hosts.handling_s(count))
        self._done[rank] += 1
        self._go_on(rank)

    def _go_on(self, rank: int) -> None:
        """With its next step, at the time at which that may begin."""
        steps, done = self._programs[rank], self._done[rank]
        if done < len(steps):
            is_send = isinstance(steps[done], Send)
            heapq.heappush(self._ready, (max(self._at[rank], self._out[rank] if is_send else 0.0), rank))

    def _send(self, rank: int, step: Send) -> None:
        hosts = self._hosts
        start = max(self._at[rank], self._out[rank])
        gap_s = hosts.gap_s(step.count)
        self._out[rank] = start + gap_s
        self._at[rank] = start + hosts.handling_s(step.count)
        head = start
        for channel in self._trunks(rank, step.to):
            head = max(head, self._channels[channel])
            self._channels[channel] = head + hosts.wire_s(step.count)
        arrival_s = max(head + hosts.latency_s(step.count) + gap_s, self._in[step.to] + gap_s)
        self._in[step.to] = arrival_s
        way = rank, step.to
        self._arrived[way].append((arrival_s, step.count))
        if (waiting := self._waiting.pop(way, None)) is not None:
            heapq.heappush(self._ready, (max(self._at[waiting], arrival_s), waiting))
