"""Traces as OTF2 archives: a location for each rank, MPI's events for each call, and the messages inside.

Vampir, Scalasca and others read the format; the OTF2 library writes it.
"""

import shutil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trunkline import __version__, _core
from trunkline.compat import zip_equal
from trunkline.errors import BadInput
from trunkline.kinds import kind_of
from trunkline.trace.calls import RankCalls, lanes, rank_calls
from trunkline.trace.file import ARRIVED, HANDED_ON, HEARD, TOLD, UNKNOWN_BYTES, CallKind, drift_of, read_trace
from trunkline.trace.folder import Job
from trunkline.trace.otf2_definitions import MESSAGES, Definitions
from trunkline.trace.otf2_library import Archive
from trunkline.trace.protocol import parts_of

_TAG_MASK = 0xFFFFFFFF


def export_otf2(job: Job, folder: Path) -> int:
    """Write a job's trace; returns how many events.

    Args:
        job: Its files.
        folder: Is made; ``traces.otf2`` in it is what other tools open.

    Raises:
        BadInput: where the folder is there, or the library is not.
        Failed: where the library cannot write.
    """
    if folder.exists():
        raise BadInput(f"{folder}: is there already, and an OTF2 archive is a folder of its own; name a new one")
    drift = drift_of(job.headers)
    calls = [rank_calls(read_trace(header, drift[header.rank])) for header in job.headers]
    archive = Archive(folder, f"trunkline {__version__}")
    try:
        return _write(job, calls, archive)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)  # a part of an archive is none
        raise


def _write(job: Job, calls: list[RankCalls], archive: Archive) -> int:
    definitions = Definitions(job)
    base = min(header.start_ns + header.clock_offset_ns for header in job.headers)
    keys = [_message_keys(call) for call in calls]
    sent = [key[_is(one, HANDED_ON)] for key, one in zip_equal(keys, calls)]
    come = [key[_is(one, ARRIVED)] for key, one in zip_equal(keys, calls)]
    both = np.intersect1d(np.concatenate(sent), np.concatenate(come))
    events: dict[int, int] = {}
    archive.Archive_OpenEvtFiles(archive.handle)
    for one, key in zip_equal(calls, keys):
        writer = _Rank(job, one, archive, definitions, one.offset - base)
        # Readers pair messages by their order: one whose other end is not in the trace would make all later ones wrong.
        order = np.argsort(one.event_call, kind="stable")
        order = order[np.isin(key[order], both)]
        lane_of = lanes(one)
        for lane in range(int(lane_of.max(initial=0)) + 1):
            location = lane * job.ranks + one.rank
            events[location] = writer.write(location, np.flatnonzero(lane_of == lane), order)
    for rank in job.missing:  # communicators name it, and readers want a file for it
        archive.Archive_CloseEvtWriter(archive.handle, archive.Archive_GetEvtWriter(archive.handle, rank))
        events[rank] = 0
    archive.Archive_CloseEvtFiles(archive.handle)
    archive.Archive_OpenDefFiles(archive.handle)
    for location in events:
        archive.Archive_CloseDefWriter(archive.handle, archive.Archive_GetDefWriter(archive.handle, location))
    archive.Archive_CloseDefFiles(archive.handle)
    length = max((int(call.end.max(initial=0)) + call.offset - base for call in calls if len(call)), default=0)
    definitions.write(archive, events, length)
    archive.Archive_Close(archive.handle)
    return sum(events.values())


class _Rank:
    """Writes one rank's events."""

    def __init__(self, job: Job, calls: RankCalls, archive: Archive, definitions: Definitions, shift: int) -> None:
        self._job, self._calls, self._archive, self._shift = job, calls, archive, shift
        used = np.unique(calls.kind).tolist()
        chosen = np.flatnonzero(np.isin(calls.event_what & np.uint64(15), (TOLD, HEARD)))
        self._by_call = chosen[np.argsort(calls.event_call[chosen], kind="stable")]
        self._bounds = np.searchsorted(calls.event_call[self._by_call], np.arange(len(calls) + 1)).tolist()
        self._regions = {number: definitions.region(calls.kinds[number]) for number in used}
        self._definitions = definitions
        self._ends = {number: definitions.end_of_call(calls.kinds[number], calls.rank) for number in used}

    def write(self, location: int, chosen: NDArray[np.int64], messages: NDArray[np.int64]) -> int:
        """Write some calls, which do not overlap, and their messages, which are by call and time; counts the events."""
        calls, archive, shift = self._calls, self._archive, self._shift
        enter, leave = archive.EvtWriter_Enter, archive.EvtWriter_Leave
        begin, over = archive.EvtWriter_MpiCollectiveBegin, archive.EvtWriter_MpiCollectiveEnd
        writer = archive.Archive_GetEvtWriter(archive.handle, location)
        bounds = np.searchsorted(calls.event_call[messages], np.arange(len(calls) + 1)).tolist()
        count = 4 * len(chosen)
        starts, ends, kinds = ((part[chosen]).tolist() for part in (calls.start, calls.end, calls.kind))
        for call, start, end, kind in zip_equal(chosen.tolist(), starts, ends, kinds):
            enter(writer, None, start + shift, self._regions[kind])
            begin(writer, None, start + shift)
            if bounds[call] < bounds[call + 1]:
                inner = messages[bounds[call] : bounds[call + 1]]
                self._messages(writer, calls.kinds[kind], inner, start, end)
                count += len(inner)
            count += self._parts(writer, call, start)
            over(writer, None, end + shift, *self._ends[kind])
            leave(writer, None, end + shift, self._regions[kind])
        archive.Archive_CloseEvtWriter(archive.handle, writer)
        return count

    def _parts(self, writer: int, call: int, start: int) -> int:
        """Of a multicast, which has no messages to show: its datagrams go to all. Counts the events."""
        first, last = self._bounds[call : call + 2]
        inner = self._by_call[first:last]
        words, times = self._calls.event_what[inner].tolist(), self._calls.event_time[inner].tolist()
        parts = parts_of(words, times, start)
        for name, begin, end in parts:
            region = self._definitions.part(name)
            self._archive.EvtWriter_Enter(writer, None, begin + self._shift, region)
            self._archive.EvtWriter_Leave(writer, None, end + self._shift, region)
        return 2 * len(parts)

    def _messages(self, writer: int, kind: CallKind, places: NDArray[np.int64], start: int, end: int) -> None:
        send, receive = self._archive.EvtWriter_MpiSend, self._archive.EvtWriter_MpiRecv
        plan = self._job.plans.get(kind.plan)
        # Shares that go along a tree are cut by themselves: the length of a piece is not known.
        has_segments = plan is not None and not _core.facts_of(kind.collective).goes_by_shares
        trees = kind_of(plan[0].plan).streams(plan[0].plan) if plan is not None and has_segments else 0
        times = np.clip(np.maximum.accumulate(self._calls.event_time[places]), start, end) + self._shift
        for time, word in zip_equal(times.tolist(), self._calls.event_what[places].tolist()):
            put = send if word & 15 == HANDED_ON else receive
            put(writer, None, time, word >> 12 & 0xFFFFF, MESSAGES, *_segment(kind, trees, word >> 4 & 31, word >> 32))


def _segment(kind: CallKind, trees: int, tree: int, part: int) -> tuple[int, int]:
    """Tag and bytes of a message. Of trees, the segment and its length; else the round, and 0: it is not known."""
    if trees == 0 or kind.bytes == UNKNOWN_BYTES:
        return part & _TAG_MASK, 0
    number = part * trees + tree
    return number & _TAG_MASK, max(0, min(kind.segment_bytes, kind.bytes - number * kind.segment_bytes))


def _is(calls: RankCalls, what: int) -> NDArray[np.bool_]:
    """Which events are of one kind of records."""
    found: NDArray[np.bool_] = calls.event_what & np.uint64(15) == what
    return found


def _message_keys(calls: RankCalls) -> NDArray[np.uint64]:
    """Of each event a number that both ends of its message come to."""
    kinds = calls.kind[calls.event_call]
    plan = np.array([kind.plan for kind in calls.kinds] or [0], np.uint64)[kinds]
    communicator = np.array([kind.communicator for kind in calls.kinds] or [0], np.uint64)[kinds]
    word = calls.event_what
    peer = word >> np.uint64(12) & np.uint64(0xFFFFF)
    own = np.full(len(word), calls.rank, np.uint64)
    is_sent = _is(calls, HANDED_ON)
    ends = (np.where(is_sent, own, peer), np.where(is_sent, peer, own))
    key = np.full(len(word), 0xCBF29CE484222325, np.uint64)
    turn = calls.turn[calls.event_call].astype(np.uint64)
    for part in (plan, communicator, turn, *ends, word >> np.uint64(4) & np.uint64(31), word >> np.uint64(32)):
        key = (key ^ part) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    # What is no message has no other end.
    return np.where(is_sent | _is(calls, ARRIVED), key, np.uint64(0))
