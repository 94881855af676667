"""One rank's trace file, as ``runtime/trace/format.hpp`` lays it out.

Clocks drift: the two comparisons with rank 0's clock, in MPI_Init and in MPI_Finalize, say how much on each host.
Between them the difference is taken to change evenly. What both comparisons may be wrong by is no drift. Ranks of one
host have one clock, so all of them take what the best compared one of them says: their times stay comparable exactly.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trunkline.compat import zip_equal
from trunkline.errors import BadInput
from trunkline.files import open_regular

MAGIC = b"trktrace"
VERSION = 1
BEGIN, OVER, ARRIVED, HANDED_ON, COMPLETE, TOLD, HEARD, SUM = 1, 2, 3, 4, 5, 6, 7, 8
"""Kinds of records. Two are of multicasts; SUM is of the last rank of a host to come, which sends the host's sum on."""
UNKNOWN_KIND = 4095
"""Of a call for whose kind the file's table had no room."""
SOME_RANKS, SOME_COLLECTIVES, SOME_TIME = 1, 2, 4
"""Bits of what was chosen to be traced."""
UNKNOWN_BYTES = (1 << 64) - 1
_TIME_BITS = 48
_MOST_RANKS = 1_000_000


def _fields(names_and_types: str) -> np.dtype[Any]:
    return np.dtype([tuple(one.split()) for one in names_and_types.split(", ")])


_HEADER = _fields(
    "magic S8, format <u4, kinds_at <u4, kind_bytes <u4, most_kinds <u4, record_bytes <u4, rank <u4, ranks <u4, "
    "host_number <u4, capacity <u8, start_ns <u8, wall_ns <i8, clock_offset_ns <i8, clock_error_ns <u8, head <u8, "
    "unknown_kinds <u8, kinds <u4, finished <u4, job S48, host S64, mpi S32, version S16, end_ns <u8, "
    "end_offset_ns <i8, end_error_ns <u8, chosen <u4, reserved <u4"
)
_KIND = _fields("plan <u8, bytes <u8, segment_bytes <u8, communicator <u4, root <i4, collective S24, algorithm S40")
_RECORD = _fields("time <u8, what <u8")
_DOES_NOT_BLOCK = 1 << 31
"""A bit of a kind's communicator."""


@dataclass(frozen=True)
class Header:
    """What a rank says of itself and its job."""

    file: Path
    version: str
    """Of the library that wrote it."""
    rank: int
    """In MPI_COMM_WORLD."""
    ranks: int
    host: str
    job: str
    mpi: str
    start_ns: int
    """Of the rank's monotonic clock."""
    wall_ns: int
    """The same instant since 1970."""
    clock_offset_ns: int
    """To be added to the rank's clock to get rank 0's."""
    clock_error_ns: int
    """Of that, at most, when the job began."""
    end_ns: int
    """Of the rank's clock, when the clocks were compared once more; 0: they were not."""
    end_offset_ns: int
    end_error_ns: int
    chosen: int
    """Bits: what was left out on purpose; see ``SOME_RANKS`` and the others."""
    capacity: int
    """Records that the ring holds."""
    head: int
    """Records that were put in ever."""
    kinds: int
    unknown_kinds: int
    finished: bool
    """Whether MPI_Finalize was called."""
    kinds_at: int
    records_at: int

    @property
    def error_ns(self) -> int:
        """Of the clock over the whole job: the larger one of both comparisons, where there are two."""
        return max(self.clock_error_ns, self.end_error_ns) if self.end_ns else self.clock_error_ns

    @property
    def lost(self) -> int:
        """Records that newer ones have taken the place of."""
        return max(0, self.head - self.capacity)


@dataclass(frozen=True)
class CallKind:
    """What calls have in common."""

    plan: int
    """The same on all ranks; 0: native."""
    bytes: int
    segment_bytes: int
    communicator: int
    """Its number; of native calls whether it is MPI_COMM_WORLD."""
    root: int
    collective: str
    algorithm: str
    is_blocking: bool

    @property
    def name(self) -> str:
        """``bcast``, ``ibcast``."""
        return call_name(self.collective, self.is_blocking)


def call_name(collective: str, is_blocking: bool) -> str:
    """Of calls: ``bcast``, ``ibcast``; persistent ones do not block either."""
    return collective if is_blocking else f"i{collective}"


@dataclass(frozen=True)
class RankTrace:
    """A rank's records, oldest first."""

    header: Header
    kinds: list[CallKind]
    time: NDArray[np.int64]
    """ns since the header's start."""
    call: NDArray[np.int64]
    """Low 16 bits of the rank's number of the call."""
    what: NDArray[np.uint64]
    truncated: bool
    """The file ends before its records do."""


def _fields_of(raw: np.void) -> dict[str, Any]:
    """By name, as whole numbers and texts of Python."""
    plain = zip_equal(raw.dtype.names or (), raw.item())
    return {name: value.decode("utf-8", "replace") if isinstance(value, bytes) else value for name, value in plain}


def is_begun(file: Path) -> bool:
    """Whether a rank has written its header yet: its file has room for all before it has any content."""
    with open_regular(file) as opened:
        return opened.read(len(MAGIC)).strip(b"\0") != b""


def read_header(file: Path) -> Header:
    """The header of a trace file.

    Raises:
        BadInput: where it is none, is of another version, or says what cannot be.
    """
    with open_regular(file) as opened:
        raw = opened.read(_HEADER.itemsize)
    if len(raw) < _HEADER.itemsize or not raw.startswith(MAGIC):
        raise BadInput(f"{file}: no trace file of Trunkline, or it ends within its header; leave it out")
    one = _fields_of(np.frombuffer(raw, _HEADER)[0])
    if one["format"] != VERSION:
        raise BadInput(
            f"{file}: has version {one['format']} of the format, and this command reads {VERSION}; "
            "use the command of the release that wrote it"
        )
    kinds_at, most_kinds, capacity = one["kinds_at"], one["most_kinds"], one["capacity"]
    sane = (
        (one["kind_bytes"], one["record_bytes"]) == (_KIND.itemsize, _RECORD.itemsize)
        and _HEADER.itemsize <= kinds_at <= 1 << 20
        and one["kinds"] <= most_kinds <= UNKNOWN_KIND
        and 0 < capacity < 1 << 40
        and capacity & (capacity - 1) == 0
        and one["rank"] < one["ranks"] <= _MOST_RANKS
        and "/" not in one["job"]  # names of files begin with it
    )
    if not sane:
        raise BadInput(f"{file}: its header contradicts itself; leave it out")
    told = {field.name: one[field.name] for field in fields(Header) if field.name in one}
    records_at = kinds_at + most_kinds * _KIND.itemsize
    return Header(**told | {"finished": bool(one["finished"])}, file=file, records_at=records_at)


def read_kinds(header: Header) -> list[CallKind]:
    """The table of the kinds of calls, as far as it is filled and there."""
    with open_regular(header.file) as opened:
        raw_kinds = np.fromfile(opened, _KIND, count=header.kinds, offset=header.kinds_at)
    return [_kind_of(_fields_of(raw_kind)) for raw_kind in raw_kinds]


def _kind_of(told: dict[str, Any]) -> CallKind:
    communicator = told.pop("communicator")
    is_blocking = not communicator & _DOES_NOT_BLOCK
    return CallKind(**told, communicator=communicator & ~_DOES_NOT_BLOCK, is_blocking=is_blocking)


def read_records(header: Header, first: int, count: int) -> NDArray[np.void]:
    """Records by the order in which they were put in, fewer where the file is cut off; fields ``time`` and ``what``.

    Args:
        header: Of the file.
        first: How many were put in before; those from there on must still be in the ring.
        count: How many; no more than the ring holds.
    """
    place = first % header.capacity
    until_end = min(count, header.capacity - place)
    found = _records_at(header, place, until_end)
    if len(found) < until_end or count == until_end:
        return found
    return np.concatenate((found, _records_at(header, 0, count - until_end)))


def _records_at(header: Header, place: int, count: int) -> NDArray[np.void]:
    offset = header.records_at + place * _RECORD.itemsize
    with open_regular(header.file) as opened:
        there = max(0, os.fstat(opened.fileno()).st_size - offset) // _RECORD.itemsize
        if min(count, there) * _RECORD.itemsize > _memory_bytes():
            raise BadInput(f"{header.file}: has more records than this machine has memory for")
        return np.fromfile(opened, _RECORD, count=min(count, there), offset=offset)


def _memory_bytes() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def unwrapped(raw: NDArray[np.uint64], before: int = -1) -> NDArray[np.int64]:
    """Times of records, which have the low bits alone: ns since the rank's start.

    Args:
        raw: Of records, oldest first, as they are in the file.
        before: The time of the record before them, with all its bits; negative: there is none.
    """
    time = (raw & np.uint64((1 << _TIME_BITS) - 1)).astype(np.int64)
    low = np.array([before & (1 << _TIME_BITS) - 1]) if before >= 0 else time[:1]
    wraps = np.cumsum(np.diff(time, prepend=low) < -(1 << (_TIME_BITS - 1)))
    whole: NDArray[np.int64] = time + ((wraps + (max(0, before) >> _TIME_BITS)) << _TIME_BITS)
    return whole


def read_trace(header: Header, drift: float = 0.0) -> RankTrace:
    """The records of a file whose header has been read; of one that is cut off, those that are there.

    Args:
        header: Of the file.
        drift: By how much rank 0's clock is faster than this one, as a part: times are stretched by it, so that they
            differ from rank 0's by what they differed by when the job began.

    Raises:
        BadInput: where the file ends before its records begin.
    """
    size = header.file.stat().st_size
    if size < header.records_at:
        raise BadInput(f"{header.file}: ends before its records begin; leave it out")
    kinds = read_kinds(header)
    wanted = min(header.head, header.capacity)
    there = min(wanted, (size - header.records_at) // _RECORD.itemsize)
    records = _records_at(header, 0, there)
    if header.lost:  # the oldest one stands where the next one would have come
        records = np.roll(records, -(header.head % header.capacity)) if there == wanted else _cut_ring(records, header)
    # A record may be missing where the program was killed in between.
    records = records[records["what"] & np.uint64(15) != 0]
    raw = records["time"]
    call = (raw >> np.uint64(_TIME_BITS)).astype(np.int64)
    what = np.ascontiguousarray(records["what"])
    time = unwrapped(raw)
    if drift:
        time = time + np.rint(time * drift).astype(np.int64)
    return RankTrace(header, kinds, time, call, what, there < wanted)


def _cut_ring(records: np.ndarray, header: Header) -> np.ndarray:
    """Of a ring whose file was cut off: the part after the newest record lacks its end, so what came before goes."""
    newest = header.head % header.capacity
    return records[:newest] if newest else records


def drift_of(headers: Sequence[Header]) -> dict[int, float]:
    """By rank: by how much rank 0's clock is faster than its host's, as a part of the time; 0 where it is not known."""
    first_host = next((header.host for header in headers if header.rank == 0), None)
    best: dict[str, Header] = {}
    for header in headers:
        if header.end_ns <= header.start_ns or header.host == first_host:
            continue
        known = best.get(header.host)
        if known is None or header.clock_error_ns + header.end_error_ns < known.clock_error_ns + known.end_error_ns:
            best[header.host] = header
    found = {}
    for host, one in best.items():
        change = one.end_offset_ns - one.clock_offset_ns
        if abs(change) > one.clock_error_ns + one.end_error_ns:
            found[host] = change / (one.end_ns - one.start_ns)
    return {header.rank: found.get(header.host, 0.0) for header in headers}
