"""Calls of all ranks side by side: which record belongs to which call, and which calls of two ranks are the same."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trunkline.compat import zip_equal
from trunkline.trace.file import BEGIN, OVER, UNKNOWN_KIND, CallKind, RankTrace, call_name

_ID_BITS = 16
"""Of a call's number that each record has."""
_REPETITION_BITS = 18


@dataclass(frozen=True)
class RankCalls:
    """The calls of one rank that its trace has whole, in the order in which they began."""

    rank: int
    kind: NDArray[np.int64]
    """Into the trace's list of kinds."""
    turn: NDArray[np.int64]
    """On the communicator."""
    start: NDArray[np.int64]
    """ns of the rank's own clock since its trace began; also below."""
    end: NDArray[np.int64]
    gap: NDArray[np.int64]
    """ns between the end of the rank's call before and this one's start: the program's own; -1: not known, as where
    a call was under way that does not block: it may have waited for that."""
    event_call: NDArray[np.int64]
    """Of each event inside a call its place among the calls."""
    event_time: NDArray[np.int64]
    event_what: NDArray[np.uint64]
    kinds: list[CallKind]
    offset: int
    """ns: to be added to a time to get it on rank 0's clock, since that rank's clock began."""

    def __len__(self) -> int:
        return len(self.kind)


def rank_calls(trace: RankTrace) -> RankCalls:
    """Calls of a trace; records of calls whose beginning or end is not in it are left out."""
    what = (trace.what & np.uint64(15)).astype(np.int8)
    begins = np.flatnonzero(what == BEGIN)
    if len(begins) == 0:
        return _no_calls(trace)
    # Numbers of calls count from the first one here; a record's low bits say which one it belongs to.
    numbers = trace.call[begins]
    full = np.concatenate(([0], np.cumsum(np.diff(numbers) % (1 << _ID_BITS))))
    latest = np.searchsorted(begins, np.arange(len(what)), side="right") - 1
    newest = full[np.maximum(latest, 0)]
    belongs = newest - (numbers[np.maximum(latest, 0)] - trace.call) % (1 << _ID_BITS)
    place = np.searchsorted(full, belongs)
    known = (latest >= 0) & (place < len(full))
    known[known] = full[place[known]] == belongs[known]

    end = np.full(len(begins), -1, np.int64)
    failed = np.zeros(len(begins), bool)
    overs = np.flatnonzero((what == OVER) & known)
    end[place[overs]] = trace.time[overs]
    failed[place[overs]] = (trace.what[overs] >> np.uint64(4) & np.uint64(1)).astype(bool)
    start = trace.time[begins]
    gap = np.full(len(begins), -1, np.int64)
    follows = np.diff(numbers) % (1 << _ID_BITS) == 1  # else calls in between were not traced
    kind = (trace.what[begins] >> np.uint64(4) & np.uint64(0xFFF)).astype(np.int64)
    blocks = np.array([*(one.is_blocking for one in trace.kinds), True])[np.minimum(kind, len(trace.kinds))]
    alone = blocks[1:] & blocks[:-1] & (_last_end_before(start, end, ~blocks)[1:] <= end[:-1])
    gap[1:] = np.where(follows & alone & (end[:-1] >= 0), start[1:] - end[:-1], -1)
    whole = (end >= 0) & ~failed & (kind != UNKNOWN_KIND) & (kind < len(trace.kinds))

    inner = np.flatnonzero(known & (what != BEGIN) & (what != OVER))
    inner = inner[whole[place[inner]]]
    renumbered = np.cumsum(whole) - 1
    return RankCalls(
        rank=trace.header.rank,
        kind=kind[whole],
        turn=(trace.what[begins] >> np.uint64(16)).astype(np.int64)[whole],
        start=start[whole],
        end=end[whole],
        gap=gap[whole],
        event_call=renumbered[place[inner]],
        event_time=trace.time[inner],
        event_what=trace.what[inner],
        kinds=trace.kinds,
        offset=trace.header.start_ns + trace.header.clock_offset_ns,
    )


def _last_end_before(start: NDArray[np.int64], end: NDArray[np.int64], chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each call the last end of the chosen ones that began before it, which may not have ended; -1: none did."""
    order = np.argsort(start[chosen], kind="stable")
    ends = np.where(end[chosen] < 0, np.iinfo(np.int64).max, end[chosen])[order]
    last = np.concatenate(([-1], np.maximum.accumulate(ends)))
    return last[np.searchsorted(start[chosen][order], start)]


def _no_calls(trace: RankTrace) -> RankCalls:
    none = np.empty(0, np.int64)
    return RankCalls(
        trace.header.rank, none, none, none, none, none, none, none, np.empty(0, np.uint64), trace.kinds, 0
    )


def lanes(calls: RankCalls) -> NDArray[np.int64]:
    """Of each call which of several lanes it goes to, so that none overlaps another there: threads call at once."""
    found = np.zeros(len(calls), np.int64)
    if (calls.start[1:] >= np.maximum.accumulate(calls.end)[:-1]).all():
        return found
    free_from: list[int] = []
    for call, (start, end) in enumerate(zip_equal(calls.start.tolist(), calls.end.tolist())):
        lane = next((lane for lane, free in enumerate(free_from) if free <= start), len(free_from))
        free_from[lane : lane + 1] = [end]
        found[call] = lane
    return found


@dataclass
class Group:
    """Calls of one kind, whatever their communicator: the same plan, bytes and segment."""

    collective: str
    algorithm: str
    plan: int
    """0: native."""
    bytes: int
    segment_bytes: int
    root: int
    is_blocking: bool
    ranks: list[int] = field(default_factory=list)
    """In MPI_COMM_WORLD; that have calls of it."""
    places: dict[int, NDArray[np.int64]] = field(default_factory=dict)
    """By rank the places of its calls among all of the rank; as many everywhere, and call i is the same call."""
    unmatched: int = 0
    """Calls that some rank has and another has not: the program was killed, or a ring overflowed."""

    @property
    def name(self) -> str:
        """``bcast``, ``ibcast``."""
        return call_name(self.collective, self.is_blocking)

    @property
    def count(self) -> int:
        """Calls that all of its ranks have."""
        return len(next(iter(self.places.values()))) if self.places else 0

    @property
    def is_native(self) -> bool:
        """Whether the MPI library ran it, so that nothing is known of its inside."""
        return self.plan == 0


_Key = tuple[str, str, int, int, int, int, bool]
"""Of a group: collective, algorithm, plan, bytes, segment, root, whether it blocks."""


def grouped(calls: Sequence[RankCalls], finished: bool) -> list[Group]:
    """All groups, the one with the most time of all ranks first; behind those that block the others.

    Args:
        calls: Of each rank.
        finished: The program came to its end: where ranks have different numbers of calls that look alike, their last
            ones are the same, else their first ones.
    """
    groups: dict[_Key, Group] = {}
    keys: dict[_Key, dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]]] = {}
    for one in calls:
        by_kind = [np.flatnonzero(one.kind == number) for number in range(len(one.kinds))]
        found: dict[_Key, list[tuple[NDArray[np.int64], NDArray[np.int64]]]] = {}
        for kind, places in zip_equal(one.kinds, by_kind):
            if len(places) == 0:
                continue
            data = (kind.bytes, kind.segment_bytes, kind.root)
            key = (kind.collective, kind.algorithm, kind.plan, *data, kind.is_blocking)
            if key not in groups:
                groups[key] = Group(*key)
            is_numbered = kind.communicator and len(np.unique(one.turn[places])) == len(places)  # on MPI_COMM_WORLD
            if kind.plan or is_numbered:
                identity = one.turn[places] << 16 | kind.communicator
            else:  # older traces, and other communicators: the n-th of all ranks are the same call
                first = -len(places) if finished else 0
                identity = (np.arange(len(places), dtype=np.int64) + first << 16) + kind.communicator
            found.setdefault(key, []).append((identity, places))
        for key, parts in found.items():
            identity = np.concatenate([part[0] for part in parts])
            places = np.concatenate([part[1] for part in parts])
            order = np.argsort(places)
            keys.setdefault(key, {})[one.rank] = (_numbered(identity[order], finished), places[order])
    for key, by_rank in keys.items():
        _match(groups[key], by_rank)
    time_of = {call.rank: call.end - call.start for call in calls}

    def spent(group: Group) -> int:
        return sum(int(time_of[rank][places].sum()) for rank, places in group.places.items())

    found_groups = [group for group in groups.values() if group.count]
    return sorted(found_groups, key=lambda group: (group.is_blocking, spent(group)), reverse=True)


def _numbered(identity: NDArray[np.int64], from_the_end: bool) -> NDArray[np.int64]:
    """Identities with the repetitions of equal ones told apart: numbers of communicators are used again."""
    unique, inverse, counts = np.unique(identity, return_inverse=True, return_counts=True)
    if len(unique) == len(identity):
        return identity << _REPETITION_BITS
    order = np.argsort(inverse, kind="stable")
    repetition = np.empty(len(identity), np.int64)
    repetition[order] = np.arange(len(identity)) - np.repeat(np.cumsum(counts) - counts, counts)
    if from_the_end:
        repetition = counts[inverse] - 1 - repetition
    return (identity << _REPETITION_BITS) + repetition % (1 << _REPETITION_BITS)


def _match(group: Group, by_rank: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]]) -> None:
    """Keep the calls that all ranks have, in the order of the first rank."""
    group.ranks = sorted(by_rank)
    common = by_rank[group.ranks[0]][0]
    for rank in group.ranks[1:]:
        keys = by_rank[rank][0]
        if not np.array_equal(common, keys):
            common = common[np.isin(common, keys)]
    group.unmatched = max(len(keys) for keys, _ in by_rank.values()) - len(common)
    for rank, (keys, places) in by_rank.items():
        if np.array_equal(keys, common):
            group.places[rank] = places
        else:
            order = np.argsort(keys, kind="stable")
            group.places[rank] = places[order[np.searchsorted(keys[order], common)]]
