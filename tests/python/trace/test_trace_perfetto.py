"""Perfetto's format, read back field by field as its documents number them."""

from collections import defaultdict

import pytest
from made_trace import CALL_A, HOSTS, eight_ranks

from trunkline.trace.perfetto import varint


def fields(raw):
    """A protobuf message as lists of values by field number."""
    found, at = defaultdict(list), 0

    def whole():
        nonlocal at
        value = shift = 0
        while True:
            byte = raw[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(raw):
        key = whole()
        if key & 7 == 0:
            found[key >> 3].append(whole())
        elif key & 7 == 1:
            found[key >> 3].append(int.from_bytes(raw[at : at + 8], "little"))
            at += 8
        else:
            assert key & 7 == 2
            length = whole()
            found[key >> 3].append(raw[at : at + length])
            at += length
    assert at == len(raw)
    return found


@pytest.mark.parametrize("value", [0, 1, 127, 128, 300, 2**32, 2**64 - 1])
def test_whole_numbers(value):
    assert fields(varint(1 << 3) + varint(value))[1] == [value]


def test_all_of_a_trace_is_there(trunkline, tmp_path):
    eight_ranks(tmp_path)
    output = tmp_path / "out.pftrace"
    assert trunkline("trace", "export", tmp_path, "--format", "perfetto", "-o", output).status == 0
    packets = [fields(packet) for packet in fields(output.read_bytes())[1]]
    tracks = [fields(packet[60][0]) for packet in packets if 60 in packet]
    names = {track[1][0]: track[2][0].decode() for track in tracks if 2 in track}
    hosts = {track[1][0]: fields(track[3][0])[6][0].decode() for track in tracks if 3 in track}
    assert sorted(names.values()) == [f"rank {rank}" for rank in range(8)]
    assert sorted(hosts.values()) == sorted(set(HOSTS))
    parents = {track[1][0]: hosts[track[5][0]] for track in tracks if 5 in track}
    assert [parents[rank + 1] for rank in range(8)] == list(HOSTS)

    events = [(packet[8][0], fields(packet[11][0])) for packet in packets if 11 in packet]
    begins = [event for _, event in events if event[9] == [1]]
    assert len(begins) == sum(event[9] == [2] for _, event in events) == 16
    assert {event[23][0] for event in begins} == {b"allreduce custom"}
    # Each of 7 links carries 2 messages in each of 2 calls, and every message has both ends.
    sent = [event[47][0] for _, event in events if 47 in event]
    come = [event[48][0] for _, event in events if 48 in event]
    assert len(sent) == len(set(sent)) == 28
    assert sorted(sent) == sorted(come)
    # One clock for all: rank 7's first call lasts from 5 to 127 us after the first entry.
    [first, *_] = [ns for ns, event in events if event[11] == [8] and event[9] == [1]]
    [left, *_] = [ns for ns, event in events if event[11] == [8] and event[9] == [2]]
    assert (first, left) == (5000, CALL_A["over"][7] * 1000)


def test_where_it_cannot_go(refused, tmp_path):
    eight_ranks(tmp_path)
    assert "is no text; name a file" in refused("trace", "export", tmp_path, "--format", "perfetto", "-o", "-")
    assert "it is a folder" in refused("trace", "export", tmp_path, "--format", "perfetto", "-o", tmp_path)
