"""What a call waited for, from its last exit back to the entry where that began: of plans of any kind.

Trees are cut into stages that every rank passes. Several trees at once and rounds have none: there one looks back from
the last rank that leaves. A rank does what it does because of what came before it: its own last step, or a message.
Where the rank waited before the message was sent, the reason lies at the sender, and so on; else the rank itself was
late. What lies on this way made the call last. Its length is that of the call, to the error of the clocks. After D.
Boehme, F. Wolf, B. R. de Supinski, M. Schulz, M. Geimer, Scalable Critical-Path Based Performance Analysis, IPDPS 2012.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from trunkline.compat import zip_equal
from trunkline.trace.calls import Group, RankCalls
from trunkline.trace.file import ARRIVED, HANDED_ON
from trunkline.trace.metrics import Stats, stats_of
from trunkline.trace.stages import Clocks

MOST_CALLS = 50
"""That are looked at, evenly chosen."""
MOST_EVENTS = 400_000
"""Of all ranks in these calls: of calls with many there are fewer."""


@dataclass(frozen=True)
class PathStage:
    """A rank, or the way between two, on critical paths."""

    kind: Literal["link", "rank"]
    rank: int
    """Of a link the one that receives."""
    sender: int | None
    """Of a link; of a rank None."""
    mean: float
    """Microseconds of a call's path; 0 counts for calls whose path does not pass here."""
    calls: float
    """Part of the calls whose path passes here."""
    share: float
    """Of the path's whole time."""


@dataclass(frozen=True)
class CriticalPath:
    """Of the calls of a group."""

    calls: int
    """That were looked at."""
    time: Stats
    """From the entry where it begins to the last exit."""
    stages: list[PathStage]
    """The dearest first."""
    begins: list[tuple[int, float]]
    """Ranks at whose entry it begins, with their part of the calls; the most frequent first, three at most."""


class _Event(NamedTuple):
    time: int
    """ns on the first rank's clock."""
    kind: int
    tree: int
    peer: int
    part: int
    piece: int
    """Of its part: a round may go in several pieces, in order."""


class _Lane(NamedTuple):
    """One rank in one call."""

    start: int
    end: int
    events: Sequence[_Event]
    sends: dict[tuple[int, int, int, int], int]
    """By tree, peer, part and piece: the place of what was handed on."""


_Call = Mapping[int, _Lane]
"""By rank."""
_Step = tuple[int, Optional[int], int]
"""Rank; the sender, where it is the way from there; ns."""


def critical_path(
    group: Group, calls: dict[int, RankCalls], clocks: Clocks, skip: int, by_rounds: bool
) -> CriticalPath | None:
    """The critical paths of a group's calls, summed up.

    Args:
        group: Calls that a plan of trees or rounds ran.
        calls: Of each rank.
        clocks: Of each rank.
        skip: Calls at the beginning that do not count.
        by_rounds: Parts are rounds: what arrives in one is handed on in a later one; else segments of trees.

    Returns:
        None where the calls have no events.
    """
    chosen = _chosen(group, calls, skip)
    lanes = {
        rank: _lanes(calls[rank], group.places[rank][chosen], clocks.between(group.ranks[0], rank))
        for rank in group.ranks
    }
    if not any(lane.events for of_rank in lanes.values() for lane in of_rank):
        return None
    spent: Counter[tuple[int, int | None]] = Counter()
    passed: Counter[tuple[int, int | None]] = Counter()
    begins: Counter[int] = Counter()
    lengths = []
    for number in range(len(chosen)):
        call = {rank: of_rank[number] for rank, of_rank in lanes.items()}
        steps, first = _way_back(call, by_rounds)
        begins[first] += 1
        lengths.append(sum(ns for _, _, ns in steps))
        for rank, sender, ns in steps:
            spent[rank, sender] += ns
        passed.update({(rank, sender) for rank, sender, ns in steps if ns > 0})
    whole = sum(lengths) or 1
    stages = [
        PathStage(
            "rank" if sender is None else "link",
            rank,
            sender,
            ns / 1e3 / len(chosen),
            passed[rank, sender] / len(chosen),
            ns / whole,
        )
        for (rank, sender), ns in sorted(spent.items(), key=lambda one: -one[1])
        if ns > 0
    ]
    often = [(rank, count / len(chosen)) for rank, count in begins.most_common(3)]
    return CriticalPath(len(chosen), stats_of(np.array(lengths, np.float64)), stages, often)


def _chosen(group: Group, calls: dict[int, RankCalls], skip: int) -> NDArray[np.int64]:
    """Numbers of the calls that are looked at."""
    count = group.count - skip
    events = sum(int(np.isin(calls[rank].event_call, group.places[rank][skip:]).sum()) for rank in group.ranks)
    most = max(1, min(MOST_CALLS, count, MOST_EVENTS * count // max(1, events)))
    return np.unique(np.linspace(skip, group.count - 1, most).round().astype(np.int64))


def _lanes(calls: RankCalls, places: NDArray[np.int64], later: int) -> list[_Lane]:
    """One rank in the chosen calls; `later` puts its times on the first rank's clock."""
    order = np.argsort(calls.event_call, kind="stable")
    of_call = calls.event_call[order]
    first, last = np.searchsorted(of_call, places, "left"), np.searchsorted(of_call, places, "right")
    return [
        _lane(calls, place, order[begin:end], later)
        for place, begin, end in zip_equal(places.tolist(), first.tolist(), last.tolist())
    ]


def _lane(calls: RankCalls, place: int, at: NDArray[np.int64], later: int) -> _Lane:
    words = calls.event_what[at].tolist()
    pieces: Counter[int] = Counter()
    events = []
    sends: dict[tuple[int, int, int, int], int] = {}
    for number, (time, word) in enumerate(zip_equal((calls.event_time[at] + later).tolist(), words)):
        event = _Event(time, word & 15, word >> 4 & 31, word >> 12 & 0xFFFFF, word >> 32, pieces[word])
        pieces[word] += 1
        events.append(event)
        if event.kind == HANDED_ON:
            sends[event[2:]] = number
    return _Lane(int(calls.start[place]) + later, int(calls.end[place]) + later, events, sends)


def _way_back(call: _Call, by_rounds: bool) -> tuple[list[_Step], int]:
    """The steps of the critical path, the last one first, and the rank at whose entry it begins."""
    here = max(call, key=lambda rank: call[rank].end)
    steps: list[_Step] = []
    time, place = call[here].end, len(call[here].events)
    cause_of: _Event | None = None
    for _ in range(sum(len(lane.events) for lane in call.values())):  # damaged records might lead in circles
        lane = call[here]
        place = _cause(lane.events, place, cause_of, by_rounds)
        if place < 0:
            break
        event = lane.events[place]
        steps.append((here, None, max(0, time - event.time)))
        time, cause_of = event.time, event
        if event.kind != ARRIVED:
            continue
        sender = call.get(event.peer)
        sent = None if sender is None else sender.sends.get((event.tree, here, event.part, event.piece))
        before = lane.events[place - 1].time if place > 0 else lane.start
        if sender is None or sent is None or sender.events[sent].time <= before:
            # It was on its way before this rank waited for it, or its sender is not traced: what the rank did before
            # counts, and how long it waited then.
            steps.append((here, event.peer, max(0, time - before)))
            time, cause_of = min(time, before), None
            continue
        begun = sender.events[sent]
        steps.append((here, event.peer, max(0, time - begun.time)))
        here, place, time, cause_of = event.peer, sent, min(time, begun.time), begun
    steps.append((here, None, max(0, time - call[here].start)))
    return steps, here


def _cause(events: Sequence[_Event], before: int, of: _Event | None, by_rounds: bool) -> int:
    """The place of the latest event before that one that it had to wait for; -1: none, so its call's entry.

    A rank does one thing at a time, so it waits for what it did before. Of what came it waits for the parts up to its
    own; in rounds for those of rounds before. To leave, it waits for all.
    """
    for place in range(before - 1, -1, -1):
        event = events[place]
        if of is None or event.kind != ARRIVED:
            return place
        if event.part < of.part if by_rounds else (event.tree == of.tree and event.part <= of.part):
            return place
    return -1
