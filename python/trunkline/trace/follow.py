"""One rank's trace file while its program runs: what is new since the last look, and which calls it is in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trunkline.trace.file import (
    BEGIN,
    OVER,
    CallKind,
    Header,
    read_header,
    read_kinds,
    read_records,
    unwrapped,
)

_CALL_SHIFT = np.uint64(48)


@dataclass(frozen=True)
class News:
    """What a look at a rank's file found; times are ns since the rank's start."""

    since: int
    """From when on all is known: the last look, or later where records were lost or left out."""
    until: int
    """When the look was."""
    kind: NDArray[np.int64]
    """Of each call that has ended meanwhile, into the table of kinds."""
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    inside: NDArray[np.int64]
    """ns of it that no look before has counted."""
    open_kind: NDArray[np.int64]
    """Of each call that is still under way."""
    open_inside: NDArray[np.int64]
    records: int
    """That were put in meanwhile."""


class FollowedRank:
    """A rank's file, looked at again and again. Each look reads what was not there at the last one."""

    def __init__(self, file: Path) -> None:
        self.header: Header = read_header(file)
        self.kinds: list[CallKind] = []
        self.lost = 0
        """Records that newer ones had taken the place of before they were read."""
        self.left_out = 0
        """Records that the first look did not read, as it was told to."""
        self.is_cut_off = False
        self._first = True
        self._seen = 0
        self._last_time = -1
        self._last_begun = -1
        self._until = 0
        none = np.empty(0, np.int64)
        self._open = (none, none, none)  # their calls' numbers, starts and kinds

    def look(self, now_ns: int, most: int | None = None) -> News:
        """Read what is new.

        Args:
            now_ns: Since the epoch, of this host's clock. It says how far a call under way has come.
            most: Records that the first look reads at most, the newest ones; None: all.

        Raises:
            BadInput: where the file is no trace any more.
            OSError: where it cannot be read.
        """
        before = self.header
        self.header = header = read_header(before.file)
        if header.kinds > len(self.kinds):
            self.kinds = read_kinds(header)
        head = header.head
        oldest = max(0, header.head - header.capacity)
        wanted = self._seen
        if self._first and most is not None and not header.finished:
            self.left_out = max(0, head - oldest - most)
            wanted = oldest + self.left_out
        first = max(wanted, oldest)
        records = read_records(header, first, max(0, head - first))
        self.is_cut_off = self.is_cut_off or len(records) < head - first
        # A ring that turns fast has overwritten some while they were read.
        overtaken = 0
        if header.head - first > header.capacity // 2 and not header.finished:
            overtaken = max(0, read_header(header.file).head - header.capacity - first)
            records = records[overtaken:]
        time = unwrapped(records["time"], self._last_time)
        # The rank may have lost its processor there, for as long as several looks.
        is_newest = len(records) == head - first - overtaken
        if not header.finished and is_newest and self._is_half_written(records, time):
            records, time, head = records[:-1], time[:-1], head - 1
        gap = first + overtaken - self._seen
        self.lost += gap - (self.left_out if self._first else 0)
        new = head - self._seen
        self._seen = max(self._seen, head)
        self._first = False
        return self._news(records, time, gap > 0, max(0, new), now_ns)

    def _is_half_written(self, records: NDArray[np.void], time: NDArray[np.int64]) -> bool:
        """Whether the newest record has its place alone: what stands there is nothing yet, or a lap older.

        A call that has waited for others under way may say so late that it began: its number is the next one.
        """
        if len(records) == 0:
            return False
        what = records["what"] & np.uint64(15)
        before = int(time[-2]) if len(time) > 1 else self._last_time
        if what[-1] == BEGIN and int(time[-1]) < before:
            numbers = (records["time"] >> _CALL_SHIFT).astype(np.int64)
            begun = numbers[:-1][what[:-1] == BEGIN]
            last = int(begun[-1]) if len(begun) else self._last_begun
            return (int(numbers[-1]) - last) % (1 << 16) not in (1, 2)
        return bool(what[-1] == 0) or int(time[-1]) < before

    def _news(self, records: NDArray[np.void], time: NDArray[np.int64], has_gap: bool, new: int, now_ns: int) -> News:
        header = self.header
        if len(time):
            self._last_time = int(time.max())
        what = records["what"] & np.uint64(15)
        if (what == BEGIN).any():
            self._last_begun = int(records["time"][what == BEGIN][-1] >> _CALL_SHIFT)
        ends = np.flatnonzero((what == BEGIN) | (what == OVER))
        since = self._until
        numbers, starts, kinds = self._open
        if has_gap:  # how calls of before went on is not known
            since = max(since, int(time[0])) if len(time) else since
            numbers, starts, kinds = (part[:0] for part in self._open)
        number = np.concatenate((numbers, (records["time"][ends] >> _CALL_SHIFT).astype(np.int64)))
        when = np.concatenate((starts, time[ends]))
        begun = np.concatenate((np.ones(len(numbers), bool), what[ends] == BEGIN))
        # A call may have begun before the last look and have said so after it.
        uncounted = when.copy()
        uncounted[: len(numbers)] = since
        of_record = (records["what"][ends] >> np.uint64(4) & np.uint64(0xFFF)).astype(np.int64)
        kind = np.concatenate((kinds, of_record))
        # By number, and in the order of time where the same one has come again: a call's end is next to its beginning.
        order = np.argsort(number, kind="stable")
        number, when, begun, kind, uncounted = (part[order] for part in (number, when, begun, kind, uncounted))
        same = np.append(number[1:] == number[:-1], False)
        is_whole = begun & same & np.append(~begun[1:], False)
        is_open = begun & ~same
        whole = np.flatnonzero(is_whole)
        end_of_job = max(self._last_time, since)
        self._until = end_of_job if header.finished else max(end_of_job, now_ns - header.wall_ns)
        if header.finished:  # nobody will end it
            is_open[:] = False
        self._open = (number[is_open], when[is_open], kind[is_open])
        return News(
            since=since,
            until=self._until,
            kind=kind[whole],
            start=when[whole],
            end=when[whole + 1],
            inside=when[whole + 1] - uncounted[whole],
            open_kind=kind[is_open],
            open_inside=np.maximum(0, self._until - uncounted[is_open]),
            records=new,
        )
