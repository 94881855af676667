"""OTF2 archives, read back by OTF2's own tools."""

import re
import subprocess
from collections import Counter, defaultdict

import pytest
from made_trace import ARRIVED, BEGIN, CALL_A, HANDED_ON, HOSTS, OVER, Made, eight_ranks, kind_bytes

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.trace import otf2_definitions, otf2_library
from trunkline.trace.calls import lanes, rank_calls
from trunkline.trace.file import read_header, read_trace
from trunkline.trace.folder import find_job
from trunkline.trace.otf2 import export_otf2


def printed(archive, *options):
    """Lines of otf2-print, which looks at every record."""
    done = subprocess.run(
        ["otf2-print", *options, archive / "traces.otf2"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done
    return [line for line in done.stdout.splitlines() if re.match(r"[A-Z_]+ +\d", line) or "CLOCK_PROP" in line]


def events(archive):
    """Name, location, time, the rest of each."""
    for line in printed(archive):
        name, location, time, rest = re.fullmatch(r"([A-Z_]+) +(\d+) +(\d+) +(.*)", line).groups()
        yield name, int(location), int(time), rest


def definitions(archive):
    found = defaultdict(list)
    for line in printed(archive, "-G"):
        found[line.split()[0]].append(line)
    return found


def export(trunkline, folder, *more):
    archive = folder / "archive.otf2"
    done = trunkline("trace", "export", folder, "--format", "otf2", "-o", archive, *more)
    assert done.status == 0, done.error
    return archive, done


def test_all_of_a_trace_is_there(trunkline, tmp_path):
    eight_ranks(tmp_path)
    archive, done = export(trunkline, tmp_path)
    found = list(events(archive))
    assert f"{len(found)} events" in done.error
    names = Counter(name for name, *_ in found)
    # Two calls on eight ranks; seven links carry a message each way in each of them.
    assert names == {
        **dict.fromkeys(("ENTER", "LEAVE", "MPI_COLLECTIVE_BEGIN", "MPI_COLLECTIVE_END"), 16),
        **dict.fromkeys(("MPI_SEND", "MPI_RECV"), 28),
    }
    times = defaultdict(list)
    for _, location, time, _ in found:
        times[location].append(time)
    assert sorted(times) == list(range(8))
    assert all(of_rank == sorted(of_rank) for of_rank in times.values())
    # One clock for all: rank 7's first call lasts from 5 to 127 us after the first entry.
    assert [time for name, location, time, _ in found if location == 7 and name in ("ENTER", "LEAVE")][:2] == [
        5000,
        CALL_A["over"][7] * 1000,
    ]
    sends = [(location, rest) for name, location, _, rest in found if name == "MPI_SEND"]
    assert Counter(location for location, rest in sends if rest.startswith('Receiver: 4 ("rank 4"')) == {
        5: 2,
        6: 2,
        0: 2,
    }

    defined = definitions(archive)
    assert [re.search(r'Name: "(.*?)"', line)[1] for line in defined["LOCATION"]] == [
        f"rank {rank}" for rank in range(8)
    ]
    parents = [re.search(r'Parent: "node::(\w)"', line)[1] for line in defined["LOCATION_GROUP"]]
    assert parents == list(HOSTS)
    assert [int(re.search(r"# Events: (\d+)", line)[1]) for line in defined["LOCATION"]] == [
        len(times[rank]) for rank in range(8)
    ]
    [region] = defined["REGION"]
    assert 'Name: "MPI_Allreduce (custom)" <' in region
    assert 'Aka. "MPI_Allreduce"' in region
    assert "Role: COLL_ALL2ALL, Paradigm: MPI" in region
    [clock] = defined["CLOCK_PROPERTIES"]
    assert "Ticks per Seconds: 1000000000" in clock
    assert f"Length: {max(max(of_rank) for of_rank in times.values())}" in clock
    assert "2026-01-01 00:00:00" in clock


PLAN = """trunkline: plan/1
collective: bcast
shape: linear
ranks: 3
root: 0
line: [0-2]
"""
"""Among three ranks, the first one the root."""


def three_of_five(folder, turns=1):
    """A broadcast of two segments among ranks 3, 1 and 2, and a native sum of all five."""
    kinds = [
        kind_bytes(plan=0x1234, size=10000, segment=8192, communicator=7, collective="bcast", name="linear"),
        kind_bytes(plan=0, size=24, segment=0, communicator=1, name="native"),
        kind_bytes(plan=0, size=(1 << 64) - 1, segment=0, communicator=0, collective="allgatherv", name="native"),
    ]
    line = [3, 1, 2]
    for rank in range(5):
        made = Made(rank, 5, f"h{rank}", kinds=kinds)
        if rank in line:
            at = line.index(rank)
            made.begin(0, 0)
            for part in range(2):
                if at > 0:
                    made.event(10 * at + part, ARRIVED, line[at - 1], part)
                if at < 2:
                    made.event(10 * at + 5 + part, HANDED_ON, line[at + 1], part)
            made.over(50 + at)
        made.begin(100, 0, kind=1)
        made.over(120)
        made.begin(200, 0, kind=2)
        made.over(220)
        made.write(folder)
    stem = f"{folder}/{made.job}.plan-{0x1234:016x}"
    with open(f"{stem}.yaml", "w") as plan, open(f"{stem}.ranks", "w") as ranks:
        plan.write(PLAN)
        ranks.write("3\n1\n2\n")


def test_communicators_roots_and_sizes(trunkline, tmp_path):
    three_of_five(tmp_path)
    archive, _ = export(trunkline, tmp_path)
    found = list(events(archive))
    ends = {}
    for name, location, _, rest in found:
        if name == "MPI_COLLECTIVE_END":
            ends.setdefault(rest.partition(",")[0].removeprefix("Operation: "), {})[location] = rest.partition(", ")[2]
    of_three = 'Communicator: "communicator 7" <2>, Root: 0 ("rank 3" <3>)'
    assert ends["BCAST"] == {
        3: f"{of_three}, Sent: 10000, Received: 0",
        1: f"{of_three}, Sent: 0, Received: 10000",
        2: f"{of_three}, Sent: 0, Received: 10000",
    }
    of_all = 'Communicator: "MPI_COMM_WORLD" <0>, Root: NONE, Sent: 24, Received: 24'
    assert ends["ALLREDUCE"] == dict.fromkeys(range(5), of_all)
    unknown = "Communicator: UNDEFINED, Root: NONE, Sent: 0, Received: 0"
    assert ends["ALLGATHERV"] == dict.fromkeys(range(5), unknown)
    [group] = [line for line in definitions(archive)["GROUP"] if '"communicator 7"' in line]
    assert '3 Members: 3 ("rank 3" <3>), 1 ("rank 1" <1>), 2 ("rank 2" <2>)' in group
    segments = [re.search(r"Tag: (\d+), Length: (\d+)", rest).groups() for name, *_, rest in found if "_SEND" in name]
    assert sorted(segments) == [("0", "8192"), ("0", "8192"), ("1", "1808"), ("1", "1808")]


def test_a_message_without_its_other_end_is_left_out(trunkline, tmp_path):
    three_of_five(tmp_path)
    next(tmp_path.glob("*rank-00002.trace")).unlink()
    archive, _ = export(trunkline, tmp_path)
    names = Counter(name for name, *_ in events(archive))
    assert (names["MPI_SEND"], names["MPI_RECV"]) == (2, 2)
    assert len(definitions(archive)["LOCATION"]) == 5  # communicators name it
    assert any('"unknown host"' in line for line in definitions(archive)["SYSTEM_TREE_NODE"])


def test_times_are_of_one_clock(trunkline, tmp_path):
    """Rank 1's trace begins 300 us after rank 0's, by a clock that shows 1000 us more."""
    for rank, start in enumerate((500, 1800)):
        made = Made(rank, 2, f"h{rank}", start_us=start, offset_us=-1000 * rank)
        made.begin(10, 0)
        made.over(20)
        made.write(tmp_path)
    archive, _ = export(trunkline, tmp_path)
    assert {(location, time) for name, location, time, _ in events(archive) if name == "ENTER"} == {
        (0, 10_000),
        (1, 310_000),
    }
    assert "Length: 320000," in definitions(archive)["CLOCK_PROPERTIES"][0]


def test_a_rank_without_calls(trunkline, tmp_path):
    Made(0, 2).write(tmp_path)
    Made(1, 2).write(tmp_path)
    archive, done = export(trunkline, tmp_path)
    assert "0 events" in done.error
    assert list(events(archive)) == []


def overlapping(folder):
    """Two threads of one rank: (0, 4), (1, 6), (5, 7) overlap; the third has room beside the second."""
    made = Made(0, 1)
    for us, call, what in ((0, 0, BEGIN), (1, 1, BEGIN), (4, 0, OVER), (5, 2, BEGIN), (6, 1, OVER), (7, 2, OVER)):
        made.put(us, call, what)
    return made.write(folder)


def test_calls_of_threads_have_locations_of_their_own(trunkline, tmp_path):
    assert lanes(rank_calls(read_trace(read_header(overlapping(tmp_path))))).tolist() == [0, 1, 0]
    archive, _ = export(trunkline, tmp_path)
    depth = Counter()
    for name, location, *_ in events(archive):
        depth[location] += {"ENTER": 1, "LEAVE": -1}.get(name, 0)
        assert depth[location] in (0, 1)
    assert sorted(depth) == [0, 1]
    assert ['Name: "rank 0, thread 2"' in line for line in definitions(archive)["LOCATION"]] == [False, True]


def test_where_it_cannot_go(refused, tmp_path, monkeypatch):
    eight_ranks(tmp_path)
    words = ("trace", "export", tmp_path, "--format", "otf2", "-o")
    assert "an OTF2 archive is a folder; name a new one" in refused(*words, "-")
    assert "is there already" in refused(*words, tmp_path)
    assert "is no folder" in refused(*words, next(tmp_path.glob("*.trace")) / "x")
    monkeypatch.setattr(otf2_library, "NAMES", ("libsuch-there-is-none.so",))
    with pytest.raises(BadInput, match=r"OTF2 3.0 is not installed.*apt-get install otf2-tools"):
        export_otf2(find_job(str(tmp_path)), tmp_path / "o")
    assert not (tmp_path / "o").exists()


def test_every_collective_has_an_operation():
    assert {_core.facts_of(name).mpi_name for name in _core.collectives()} <= set(otf2_definitions._OPERATIONS)


def test_a_collective_of_another_release(refused, tmp_path):
    made = Made(0, 1, kinds=[kind_bytes(collective="gatherv")])
    made.begin(0, 0)
    made.over(1)
    made.write(tmp_path)
    told = refused("trace", "export", tmp_path, "--format", "otf2", "-o", tmp_path / "o")
    assert "calls of 'gatherv', which this command does not know" in told
    assert not (tmp_path / "o").exists()
