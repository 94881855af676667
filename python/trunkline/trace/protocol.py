"""Multicasts: what their ranks told each other, and how long the parts of a call took."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trunkline.compat import zip_equal
from trunkline.trace.calls import Group, RankCalls
from trunkline.trace.file import HEARD, TOLD
from trunkline.trace.metrics import Stats, stats_of

STEPS = ("data", "repair", "poll", "report", "done", "ask", "answer", "meeting")
"""By number, as runtime/execute/events.hpp has them."""
DATA, REPAIR, ANSWER, MEETING = 0, 1, 6, 7
EVERYBODY = 0xFFFFF
"""In place of a peer."""


@dataclass(frozen=True)
class Step:
    """How often one step of the protocol was taken, in a call, by all ranks together; means over calls."""

    name: str
    told: float
    heard: float


@dataclass(frozen=True)
class Span:
    """A part of the calls, over those ranks that have it."""

    name: str
    ranks: int
    time: Stats
    slowest: int
    """The rank with the longest mean."""


@dataclass(frozen=True)
class Protocol:
    """Of a group's calls."""

    steps: list[Step]
    """Those that were taken at all."""
    spans: list[Span]


def parts_of(words: list[int], times: list[int], start: int) -> list[tuple[str, int, int]]:
    """The parts of one rank's call, from when to when, one after the other; none where it is no multicast.

    Args:
        words: Of its events, as they are in the trace, in the order of time.
        times: Of these.
        start: When the call was entered.
    """
    parts: list[tuple[str, int, int]] = []
    for name, record, steps in _PARTS:
        found = [time for word, time in zip_equal(words, times) if _is_one(word, record, steps)]
        if not found:
            continue
        begin = start if name == "meeting" else max(found[0], parts[-1][2] if parts else start)
        if found[-1] > begin:
            parts.append((name, begin, found[-1]))
    return parts


_PACKETS = (DATA, REPAIR, ANSWER)
_PARTS = (("meeting", TOLD, (MEETING,)), ("packets sent", TOLD, _PACKETS), ("packets heard", HEARD, _PACKETS))


def _is_one(word: int, record: int, steps: tuple[int, ...]) -> bool:
    return word & 15 == record and word >> 4 & 31 in steps


def protocol_of(group: Group, calls: dict[int, RankCalls], skipped: int) -> Protocol | None:
    """None where no rank told or heard anything: no multicast.

    Args:
        group: Calls of one kind.
        calls: Of each rank.
        skipped: Calls of the group at the beginning that do not count.
    """
    counts = np.zeros((2, len(STEPS)), np.int64)
    found: dict[str, dict[int, NDArray[np.int64]]] = {}
    for rank in group.ranks:
        one = _Rank(calls[rank], group.places[rank][skipped:])
        counts += one.counts
        for name, times in one.spans().items():
            if len(times):
                found.setdefault(name, {})[rank] = times
    if not counts.any():
        return None
    of_calls = group.count - skipped
    steps = [
        Step(name, told / of_calls, heard / of_calls)
        for name, told, heard in zip_equal(STEPS, *counts.tolist())
        if told or heard
    ]
    spans = [
        Span(
            name,
            len(by_rank),
            stats_of(np.concatenate(list(by_rank.values()))),
            max(by_rank, key=lambda rank: float(by_rank[rank].mean())),
        )
        for name, by_rank in found.items()
    ]
    return Protocol(steps, sorted(spans, key=lambda span: _SPANS.index(span.name)))


_SPANS = (
    "all ranks meet before",
    "from the entry to the first packet sent",
    "from the first packet sent to the last",
    "from the last packet sent to the exit",
    "from the entry to the first packet heard",
    "from the first packet heard to the last",
    "from the last packet heard to the exit",
)


class _Rank:
    """One rank's steps in the calls at these places of its list."""

    def __init__(self, calls: RankCalls, places: NDArray[np.int64]) -> None:
        numbers = np.full(len(calls), -1, np.int64)
        numbers[places] = np.arange(len(places))
        word = calls.event_what
        what = (word & np.uint64(15)).astype(np.int64)
        chosen = ((what == TOLD) | (what == HEARD)) & (numbers[calls.event_call] >= 0)
        self._call = numbers[calls.event_call[chosen]]
        self._time = calls.event_time[chosen]
        self._is_heard = what[chosen] == HEARD
        self._step = (word[chosen] >> np.uint64(4) & np.uint64(31)).astype(np.int64)
        self._start, self._end = calls.start[places], calls.end[places]
        known = self._step < len(STEPS)
        self.counts = np.stack(
            [
                np.bincount(self._step[known & (self._is_heard == heard)], minlength=len(STEPS))
                for heard in (False, True)
            ]
        )

    def spans(self) -> dict[str, NDArray[np.int64]]:
        """By name, ns of each call that has it."""
        is_packet = (self._step == DATA) | (self._step == REPAIR) | (self._step == ANSWER)
        met = self._first_and_last(self._step == MEETING)
        sent = self._first_and_last(~self._is_heard & is_packet)
        heard = self._first_and_last(self._is_heard & is_packet)
        parts = (*self._around(met)[:1], *self._around(sent), *self._around(heard))
        return dict(zip_equal(_SPANS, parts))

    def _first_and_last(self, chosen: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Times of the first and the last of these in each call; no time: -1."""
        never = np.iinfo(np.int64).max
        first = np.full(len(self._start), never)
        last = np.full(len(self._start), -1)
        np.minimum.at(first, self._call[chosen], self._time[chosen])
        np.maximum.at(last, self._call[chosen], self._time[chosen])
        return np.where(first == never, -1, first), last

    def _around(self, times: tuple[NDArray[np.int64], NDArray[np.int64]]) -> tuple[NDArray[np.int64], ...]:
        """Before, between and behind them, of the calls that have any."""
        first, last = times
        has = last >= 0
        return (first - self._start)[has], (last - first)[has], (self._end - last)[has]
