"""Traces in Perfetto's own format: a track for each rank, a slice for each call and each wait, flows for messages.

The format is protobuf; the few messages that are needed are written by hand, by the field numbers of
``perfetto/trace/perfetto_trace.proto``.
"""

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from trunkline.compat import zip_equal
from trunkline.trace.calls import RankCalls, lanes, rank_calls
from trunkline.trace.file import ARRIVED, HANDED_ON, HEARD, SUM, TOLD, drift_of, read_trace
from trunkline.trace.folder import Job
from trunkline.trace.protocol import EVERYBODY, MEETING, STEPS, parts_of

# Of Trace, TracePacket, TrackDescriptor, ProcessDescriptor, ThreadDescriptor and TrackEvent.
PACKET = 1
TIMESTAMP, TRACK_EVENT, TRACK_DESCRIPTOR, SEQUENCE_ID, SEQUENCE_FLAGS = 8, 11, 60, 10, 13
UUID, NAME, PROCESS, PARENT_UUID = 1, 2, 3, 5
PID, PROCESS_NAME = 1, 6
EVENT_TYPE, EVENT_TRACK, EVENT_NAME, FLOW_IDS, END_FLOW_IDS = 9, 11, 23, 47, 48
SLICE_BEGIN, SLICE_END, INSTANT = 1, 2, 3
STATE_CLEARED = 1
"""Of a sequence's first packet: nothing before it is missing. Else readers may take it for the rest of a longer one."""


def varint(value: int) -> bytes:
    """As protobuf writes whole numbers."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    """A field that is a whole number."""
    return varint(field << 3) + varint(value)


def fixed(field: int, value: int) -> bytes:
    """A field of eight bytes."""
    return varint(field << 3 | 1) + value.to_bytes(8, "little")


def nested(field: int, content: bytes) -> bytes:
    """A field that is a text or a message."""
    return varint(field << 3 | 2) + varint(len(content)) + content


def export_perfetto(job: Job, file: BinaryIO) -> int:
    """Write a job's trace; returns how many packets.

    Args:
        job: Its files.
        file: Open for writing bytes.
    """
    base = min(header.start_ns + header.clock_offset_ns for header in job.headers)
    hosts = list(dict.fromkeys(header.host for header in job.headers))
    count = 0

    def put(content: bytes) -> None:
        nonlocal count
        first = number(SEQUENCE_FLAGS, STATE_CLEARED) if count == 0 else b""
        file.write(nested(PACKET, content + number(SEQUENCE_ID, 1) + first))
        count += 1

    for place, host in enumerate(hosts):
        process = number(PID, place + 1) + nested(PROCESS_NAME, host.encode())
        put(nested(TRACK_DESCRIPTOR, number(UUID, _host_track(place)) + nested(PROCESS, process)))
    drift = drift_of(job.headers)
    for header in job.headers:
        calls = rank_calls(read_trace(header, drift[header.rank]))
        parent = number(PARENT_UUID, _host_track(hosts.index(header.host)))
        lane_of = lanes(calls)
        for lane in range(int(lane_of.max(initial=0)) + 1):
            name = f"rank {header.rank}" + (f", thread {lane + 1}" if lane else "")
            track = (lane << 34) + header.rank + 1
            put(nested(TRACK_DESCRIPTOR, number(UUID, track) + nested(NAME, name.encode()) + parent))
            for ns, content in _events(calls, np.flatnonzero(lane_of == lane), track):
                put(number(TIMESTAMP, max(0, ns + calls.offset - base)) + content)
    return count


def _host_track(place: int) -> int:
    return (1 << 32) + place


def _event(kind: int, track: int, name: str = "", flow: bytes = b"") -> bytes:
    content = number(EVENT_TYPE, kind) + number(EVENT_TRACK, track) + flow
    return nested(TRACK_EVENT, content + (nested(EVENT_NAME, name.encode()) if name else b""))


def _events(calls: RankCalls, chosen: NDArray[np.int64], track: int) -> Iterator[tuple[int, bytes]]:
    """Events of a rank's calls that do not overlap, in the order of time."""
    order = np.argsort(calls.event_call, kind="stable")
    bounds = np.searchsorted(calls.event_call[order], np.arange(len(calls) + 1)).tolist()
    for call in chosen.tolist():
        kind = calls.kinds[int(calls.kind[call])]
        yield int(calls.start[call]), _event(SLICE_BEGIN, track, f"{kind.name} {kind.algorithm}")
        inner = order[bounds[call] : bounds[call + 1]]
        words, times = calls.event_what[inner].tolist(), calls.event_time[inner].tolist()
        found = [(time, _AT, _instant(calls, call, track, word)) for word, time in zip_equal(words, times)]
        for name, start, end in parts_of(words, times, int(calls.start[call])):
            found += [(start, _FROM, _event(SLICE_BEGIN, track, name)), (end, _UNTIL, _event(SLICE_END, track))]
        for time, _, content in sorted(found, key=lambda one: one[:2]):
            yield time, content
        yield int(calls.end[call]), _event(SLICE_END, track)


_UNTIL, _FROM, _AT = 0, 1, 2
"""At one time a part ends before the next one begins."""


def _instant(calls: RankCalls, call: int, track: int, word: int) -> bytes:
    what, tree, peer, part = word & 15, word >> 4 & 31, word >> 12 & 0xFFFFF, word >> 32
    if what in (TOLD, HEARD):
        return _event(INSTANT, track, _step_text(what == TOLD, tree, peer, part))
    if what == SUM:
        return _event(INSTANT, track, f"the host's sum to {peer}")
    if what not in (ARRIVED, HANDED_ON):
        return _event(INSTANT, track, "complete")
    kind = calls.kinds[int(calls.kind[call])]
    ends = (calls.rank, peer) if what == HANDED_ON else (peer, calls.rank)
    message = (kind.plan, kind.communicator, int(calls.turn[call]), *ends, tree, part)
    flow = fixed(FLOW_IDS if what == HANDED_ON else END_FLOW_IDS, _flow(message))
    return _event(INSTANT, track, f"to {peer}" if what == HANDED_ON else f"from {peer}", flow)


def _step_text(is_told: bool, step: int, peer: int, part: int) -> str:
    """Of a multicast's protocol: ``data 12 to all``, ``poll 3 from 0``, ``done to 4``."""
    if step == MEETING:
        return "all have met"
    name = STEPS[step] if step < len(STEPS) else f"step {step}"
    number = f" {part}" if name in ("data", "repair", "poll", "report") else ""
    return f"{name}{number} {'to' if is_told else 'from'} {'all' if peer == EVERYBODY else peer}"


def _flow(message: tuple[int, ...]) -> int:
    """A number that both ends of a message come to."""
    found = 0xCBF29CE484222325
    for part in message:
        found = (found ^ part) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
        found ^= found >> 29
    return found
