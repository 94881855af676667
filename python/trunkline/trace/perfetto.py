"""Traces in Perfetto's own format: a track for each rank, a slice for each call and each wait, flows for messages.

The format is protobuf; the few messages that are needed are written by hand, by the field numbers of
``perfetto/trace/perfetto_trace.proto``.
"""

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from trunkline.trace.calls import RankCalls, rank_calls
from trunkline.trace.file import ARRIVED, HANDED_ON, read_trace
from trunkline.trace.folder import Job

__all__ = ["export_perfetto"]

# Of Trace, TracePacket, TrackDescriptor, ProcessDescriptor, ThreadDescriptor and TrackEvent.
PACKET = 1
TIMESTAMP, TRACK_EVENT, TRACK_DESCRIPTOR, SEQUENCE_ID = 8, 11, 60, 10
UUID, NAME, PROCESS, PARENT_UUID = 1, 2, 3, 5
PID, PROCESS_NAME = 1, 6
EVENT_TYPE, EVENT_TRACK, EVENT_NAME, FLOW_IDS, END_FLOW_IDS = 9, 11, 23, 47, 48
SLICE_BEGIN, SLICE_END, INSTANT = 1, 2, 3


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
        file.write(nested(PACKET, content + number(SEQUENCE_ID, 1)))
        count += 1

    for place, host in enumerate(hosts):
        process = number(PID, place + 1) + nested(PROCESS_NAME, host.encode())
        put(nested(TRACK_DESCRIPTOR, number(UUID, _host_track(place)) + nested(PROCESS, process)))
    for header in job.headers:
        parent = number(PARENT_UUID, _host_track(hosts.index(header.host)))
        track = number(UUID, _track(header.rank)) + nested(NAME, f"rank {header.rank}".encode()) + parent
        put(nested(TRACK_DESCRIPTOR, track))
    for header in job.headers:
        calls = rank_calls(read_trace(header))
        for ns, content in _events(calls):
            put(number(TIMESTAMP, max(0, ns + calls.offset - base)) + content)
    return count


def _host_track(place: int) -> int:
    return (1 << 32) + place


def _track(rank: int) -> int:
    return rank + 1


def _event(kind: int, rank: int, name: str = "", flow: bytes = b"") -> bytes:
    content = number(EVENT_TYPE, kind) + number(EVENT_TRACK, _track(rank)) + flow
    return nested(TRACK_EVENT, content + (nested(EVENT_NAME, name.encode()) if name else b""))


def _events(calls: RankCalls) -> Iterator[tuple[int, bytes]]:
    """A rank's events in the order of time."""
    firsts = np.searchsorted(calls.event_call, np.arange(len(calls)), side="left")
    lasts = np.searchsorted(calls.event_call, np.arange(len(calls)), side="right")
    for call in range(len(calls)):
        kind = calls.kinds[int(calls.kind[call])]
        yield int(calls.start[call]), _event(SLICE_BEGIN, calls.rank, f"{kind.collective} {kind.algorithm}")
        for place in range(int(firsts[call]), int(lasts[call])):
            word = int(calls.event_what[place])
            what, tree, peer, part = word & 15, word >> 4 & 31, word >> 12 & 0xFFFFF, word >> 32
            if what not in (ARRIVED, HANDED_ON):
                yield int(calls.event_time[place]), _event(INSTANT, calls.rank, "complete")
                continue
            ends = (calls.rank, peer) if what == HANDED_ON else (peer, calls.rank)
            message = (kind.plan, kind.communicator, int(calls.turn[call]), *ends, tree, part)
            flow = fixed(FLOW_IDS if what == HANDED_ON else END_FLOW_IDS, _flow(message))
            name = f"to {peer}" if what == HANDED_ON else f"from {peer}"
            yield int(calls.event_time[place]), _event(INSTANT, calls.rank, name, flow)
        yield int(calls.end[call]), _event(SLICE_END, calls.rank)


def _flow(message: tuple[int, ...]) -> int:
    """A number that both ends of a message come to."""
    found = 0xCBF29CE484222325
    for part in message:
        found = (found ^ part) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
        found ^= found >> 29
    return found
