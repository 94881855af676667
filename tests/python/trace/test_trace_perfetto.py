"""Perfetto's format, read back by its own definitions of messages; its trace processor is in no package."""

from collections import defaultdict

from google.protobuf.unknown_fields import UnknownFieldSet
from hypothesis import given
from hypothesis import strategies as st
from made_trace import ARRIVED, BEGIN, CALL_A, HOSTS, OVER, Made, eight_ranks
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket, TrackEvent

from trunkline.trace.perfetto import varint


def nothing_unknown(message):
    """Every field is one that Perfetto has, all the way down."""
    assert len(UnknownFieldSet(message)) == 0, message
    for field, value in message.ListFields():
        if field.message_type is not None:
            for one in value if field.is_repeated else [value]:
                nothing_unknown(one)


def exported(trunkline, folder):
    """Packets, tracks by their numbers, and events by track in the order of the file."""
    output = folder / "out.pftrace"
    assert trunkline("trace", "export", folder, "--format", "perfetto", "-o", output).status == 0
    trace = Trace.FromString(output.read_bytes())
    nothing_unknown(trace)
    tracks, events = {}, defaultdict(list)
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        else:
            assert packet.track_event.track_uuid in tracks  # it was described before
            events[packet.track_event.track_uuid].append((packet.timestamp, packet.track_event))
    return trace.packet, tracks, events


@given(st.integers(0, 2**64 - 1))
def test_whole_numbers(value):
    assert TracePacket.FromString(varint(8 << 3) + varint(value)).timestamp == value


def test_all_of_a_trace_is_there(trunkline, tmp_path):
    eight_ranks(tmp_path)
    packets, tracks, events = exported(trunkline, tmp_path)
    assert {packet.trusted_packet_sequence_id for packet in packets} == {1}
    flags = [packet.sequence_flags for packet in packets]
    assert flags == [TracePacket.SEQ_INCREMENTAL_STATE_CLEARED] + [0] * (len(packets) - 1)
    hosts = {uuid: track.process.process_name for uuid, track in tracks.items() if track.HasField("process")}
    ranks = {track.name: uuid for uuid, track in tracks.items() if uuid not in hosts}
    assert sorted(hosts.values()) == sorted(set(HOSTS))
    assert len({track.process.pid for uuid, track in tracks.items() if uuid in hosts}) == len(hosts)
    assert sorted(ranks) == [f"rank {rank}" for rank in range(8)]
    assert [hosts[tracks[ranks[f"rank {rank}"]].parent_uuid] for rank in range(8)] == list(HOSTS)

    for of_track in events.values():
        times = [time for time, _ in of_track]
        assert times == sorted(times)
        kinds = [event.type for _, event in of_track if event.type != TrackEvent.TYPE_INSTANT]
        assert kinds == [TrackEvent.TYPE_SLICE_BEGIN, TrackEvent.TYPE_SLICE_END] * 2
        names = {event.name for _, event in of_track if event.type == TrackEvent.TYPE_SLICE_BEGIN}
        assert names == {"allreduce custom"}
    # Each of 7 links carries 2 messages in each of 2 calls, and every message has both ends, first its own.
    sent = {flow: time for one in events.values() for time, event in one for flow in event.flow_ids}
    come = {flow: time for one in events.values() for time, event in one for flow in event.terminating_flow_ids}
    assert len(sent) == 28
    assert sent.keys() == come.keys()
    assert all(sent[flow] < come[flow] for flow in sent)
    # One clock for all: rank 7's first call lasts from 5 to 127 us after the first entry.
    of_seven = events[ranks["rank 7"]]
    slices = [time for time, event in of_seven if event.type != TrackEvent.TYPE_INSTANT]
    assert slices[:2] == [5000, CALL_A["over"][7] * 1000]


def test_calls_of_threads_have_tracks_of_their_own(trunkline, tmp_path):
    made = Made(0, 1)
    steps = [(0, 0, BEGIN), (1, 1, BEGIN), (2, 1, ARRIVED), (3, 0, ARRIVED), (4, 0, OVER), (6, 1, OVER)]
    for us, call, what in steps:
        made.put(us, call, what)
    made.write(tmp_path)
    _, tracks, events = exported(trunkline, tmp_path)
    found = {tracks[uuid].name: [time for time, _ in of_track] for uuid, of_track in events.items()}
    assert found == {"rank 0": [0, 3000, 4000], "rank 0, thread 2": [1000, 2000, 6000]}
    assert len({tracks[uuid].parent_uuid for uuid in events}) == 1


def test_where_it_cannot_go(refused, tmp_path):
    eight_ranks(tmp_path)
    assert "is no text; name a file" in refused("trace", "export", tmp_path, "--format", "perfetto", "-o", "-")
    assert "it is a folder" in refused("trace", "export", tmp_path, "--format", "perfetto", "-o", tmp_path)
