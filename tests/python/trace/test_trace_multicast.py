"""Traces of multicasts: who told whom what, and how long the parts of a call took."""

import json
import re
import subprocess

import pytest
from made_trace import ARRIVED, HEARD, TOLD, Made, kind_bytes
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

DATA, REPAIR, POLL, REPORT, DONE, ASK, ANSWER, MEETING = range(8)
ALL = 0xFFFFF
SPANS = (
    "all ranks meet before",
    "from the entry to the first packet sent",
    "from the first packet sent to the last",
    "from the last packet sent to the exit",
    "from the entry to the first packet heard",
    "from the first packet heard to the last",
    "from the last packet heard to the exit",
)


@pytest.fixture
def folder(tmp_path):
    """Two calls on three ranks; in the first all meet, in the second a packet to rank 2 is lost and sent again."""
    for rank in range(3):
        made = Made(rank, 3, f"h{rank}", kinds=[kind_bytes(size=3000, collective="bcast", name="multicast")])
        for turn in range(2):
            at = 1000 * turn
            made.begin(at, turn)
            if turn == 0:
                made.event(at + 10, TOLD, ALL, tree=MEETING)
            if rank == 0:
                for packet in range(3):
                    made.event(at + 20 + packet, TOLD, ALL, packet, DATA)
                made.event(at + 22, TOLD, ALL, 1, POLL)
                if turn == 1:
                    made.event(at + 50, HEARD, 2, 1, REPORT)
                    made.event(at + 60, TOLD, ALL, 1, REPAIR)
                for child in (1, 2):
                    made.event(at + 90, HEARD, child, 0, DONE)
                made.over(at + 100)
                continue
            for packet in range(3):
                if (turn, rank, packet) != (1, 2, 1):
                    made.event(at + 30 + packet, HEARD, 0, packet, DATA)
            made.event(at + 32, HEARD, 0, 1, POLL)
            if (turn, rank) == (1, 2):
                made.event(at + 40, TOLD, 0, 1, REPORT)
                made.event(at + 70, HEARD, 0, 1, DATA)
            made.event(at + 80, TOLD, 0, 0, DONE)
            made.event(at + 81, ARRIVED, 0)
            made.over(at + 82)
        made.write(tmp_path)
    return tmp_path


def analysed(trunkline, folder, *words):
    out = folder / "report.json"
    ran = trunkline("trace", "analyse", folder, "--all", "--json", out, *words)
    assert ran.status == 0, ran.error
    [group] = json.loads(out.read_text())["groups"]
    return group, ran.out + ran.error


def test_what_ranks_told_each_other(trunkline, folder):
    group, _ = analysed(trunkline, folder)
    assert group["protocol"]["steps"] == {
        "data": {"told": 3.0, "heard": 6.0},
        "repair": {"told": 0.5, "heard": 0.0},
        "poll": {"told": 1.0, "heard": 2.0},
        "report": {"told": 0.5, "heard": 0.5},
        "done": {"told": 2.0, "heard": 2.0},
        "meeting": {"told": 1.5, "heard": 0.0},
    }
    assert group["rounds"] == group["trees"] == []


def test_how_long_the_parts_took(trunkline, folder):
    group, shown = analysed(trunkline, folder)
    parts = {part["part"]: part for part in group["protocol"]["parts"]}
    assert tuple(parts) == SPANS
    assert [parts[name]["ranks"] for name in SPANS] == [3, 1, 1, 1, 2, 2, 2]
    means = [parts[name]["time"]["mean_us"] for name in SPANS]
    assert means == pytest.approx([10, 20, (2 + 40) / 2, (78 + 40) / 2, 30, (2 + 2 + 2 + 40) / 4, (50 * 3 + 12) / 4])
    assert parts["from the first packet heard to the last"]["slowest_rank"] == 2
    text = re.sub(r"\s+", " ", shown)
    assert "What ranks told each other, a call: bcast, 3000 B, multicast" in text
    assert "Parts of a call" in text


def test_calls_at_the_beginning_do_not_count(trunkline, folder):
    group, _ = analysed(trunkline, folder, "--skip", "1")
    assert "meeting" not in group["protocol"]["steps"]
    assert group["protocol"]["steps"]["repair"] == {"told": 1.0, "heard": 0.0}


def test_perfetto_has_parts_within_calls_and_steps_within_parts(trunkline, folder):
    out = folder / "out.pftrace"
    assert trunkline("trace", "export", folder, "--format", "perfetto", "-o", out).status == 0
    tracks: dict[int, list] = {}
    for packet in Trace.FromString(out.read_bytes()).packet:
        if packet.HasField("track_event"):
            tracks.setdefault(packet.track_event.track_uuid, []).append((packet.timestamp, packet.track_event))
    root, _, lossy = tracks.values()
    for events in (root, lossy):
        times = [time for time, _ in events]
        assert times == sorted(times)
        open_slices: list[str] = []
        for _, event in events:
            if event.type == TrackEvent.TYPE_SLICE_BEGIN:
                open_slices.append(event.name)
                assert len(open_slices) <= 2
            elif event.type == TrackEvent.TYPE_SLICE_END:
                open_slices.pop()
        assert open_slices == []
    slices = [(time, event.name) for time, event in lossy if event.type == TrackEvent.TYPE_SLICE_BEGIN]
    call = "bcast multicast"
    assert slices == [
        *((0, call), (0, "meeting"), (30_000, "packets heard")),
        *((1_000_000, call), (1_030_000, "packets heard")),
    ]
    names = [event.name for _, event in root if event.type == TrackEvent.TYPE_INSTANT]
    assert names[:5] == ["all have met", "data 0 to all", "data 1 to all", "data 2 to all", "poll 1 to all"]
    assert {"repair 1 to all", "report 1 from 2", "done from 1"} <= set(names)
    assert {"report 1 to 0", "data 1 from 0", "done to 0"} <= {event.name for _, event in lossy}


def test_otf2_has_the_parts_as_regions(trunkline, folder):
    archive = folder / "archive.otf2"
    assert trunkline("trace", "export", folder, "--format", "otf2", "-o", archive).status == 0
    words = ["otf2-print", archive / "traces.otf2"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    regions = [
        (int(found[2]), found[1], int(found[3]), found[4])
        for found in re.finditer(r'^(ENTER|LEAVE) +(\d+) +(\d+) +Region: "(.*?)"', done.stdout, re.MULTILINE)
    ]
    assert [one[1:] for one in regions if one[0] == 0][:6] == [
        ("ENTER", 0, "MPI_Bcast (multicast)"),
        ("ENTER", 0, "meeting"),
        ("LEAVE", 10_000, "meeting"),
        ("ENTER", 20_000, "packets sent"),
        ("LEAVE", 22_000, "packets sent"),
        ("LEAVE", 100_000, "MPI_Bcast (multicast)"),
    ]
