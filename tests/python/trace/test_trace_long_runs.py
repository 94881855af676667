"""Traces of long runs: clocks that drift, and what was left out on purpose."""

import pytest
from made_run import write_beside
from made_trace import ARRIVED, COMPLETE, HANDED_ON, OVER, Made, kind_bytes
from test_trace_suggest import plan_of, rooms  # noqa: F401 (a fixture)

from trunkline.trace.analysis import analyse
from trunkline.trace.calls import rank_calls
from trunkline.trace.file import drift_of, read_trace
from trunkline.trace.folder import find_job

HOUR_US = 3600e6
PPM = 20e-6
"""By which host b's clock is slower than rank 0's: 72 ms in an hour."""


def two_hosts(folder, end_error_us=30.0, **how):
    """A message from rank 0 to rank 2 and one to rank 1 beside it, at the start and after an hour; 40 us each."""
    for rank, host in enumerate("aab"):
        slow = PPM if host == "b" else 0.0
        made = Made(
            rank,
            3,
            host,
            start_us=1000.0,
            error_us=30.0,
            kinds=[kind_bytes(collective="bcast")],
            end_us=1000.0 + HOUR_US * (1 - slow),
            end_offset_us=HOUR_US * slow + (5.0 if rank == 1 else 0.0),
            end_error_us=end_error_us,
            **how,
        )

        def at(true_us, slow=slow):
            return true_us * (1 - slow)

        for turn, begin in enumerate((100.0, HOUR_US - 1000.0)):
            made.begin(at(begin), turn)
            if rank == 0:
                made.event(at(begin + 10), HANDED_ON, 2)
                made.event(at(begin + 10), HANDED_ON, 1)
            else:
                made.event(at(begin + 50), ARRIVED, 0)
            made.over(at(begin + 60))
        made.write(folder)


def way_us(folder):
    [group] = analyse(find_job(str(folder))).groups
    return {way.receiver: way.us for way in group.ways}, group


def test_clocks_that_drift(tmp_path):
    """Rank 2's message takes as long after an hour as it did first, and calls begin together."""
    two_hosts(tmp_path)
    ways, group = way_us(tmp_path)
    assert ways[2] == pytest.approx(40.0, abs=1.0)
    assert abs(group.entries - group.entries[0]).max() < 1000
    drift = drift_of(find_job(str(tmp_path)).headers)
    assert drift[2] == pytest.approx(PPM, rel=1e-3)
    assert drift[0] == drift[1] == 0.0, "the first rank's host is the measure, and ranks of a host have one clock"


def test_without_a_second_comparison_the_drift_shows(tmp_path):
    two_hosts(tmp_path)
    for file in tmp_path.glob("*.trace"):
        raw = bytearray(file.read_bytes())
        raw[264:272] = bytes(8)
        file.write_bytes(raw)
    _, group = way_us(tmp_path)
    assert abs(group.entries - group.entries[0]).max() > 70_000_000


def test_what_may_be_an_error_is_no_drift(tmp_path):
    """The change of 72 ms is within what the comparison may be wrong by."""
    two_hosts(tmp_path, end_error_us=80_000.0)
    assert set(drift_of(find_job(str(tmp_path)).headers).values()) == {0.0}
    [group] = analyse(find_job(str(tmp_path))).groups
    assert group.imbalance.clock_error == 80_000.0


def test_ranks_left_out_on_purpose(tmp_path, rooms):  # noqa: F811
    """Of 0 - 1 - 2, 0 - 3 - 4 ranks 2 and 3 are not traced: 0 and 1 hang together, and 4 does not."""
    plan = plan_of(rooms, [None, 0, 1, 0, 3])
    up = {1: (20, 30, 0), 3: (22, 33, 0), 2: (5, 15, 1), 4: (6, 17, 3)}
    down = {1: (40, 50, 0), 3: (42, 55, 0), 2: (52, 60, 1), 4: (57, 66, 3)}
    for rank in (0, 1, 4):
        made = Made(rank, 5, plan.host_of_rank[rank], kinds=[kind_bytes(plan=0x1234)], chosen=1)
        made.begin(0, 0)
        events = [(38, COMPLETE, 0)] if rank == 0 else []
        for way in (up, down):
            for child, (sent, came, parent) in way.items():
                sender, receiver = (child, parent) if way is up else (parent, child)
                events += [(sent, HANDED_ON, receiver)] if sender == rank else []
                events += [(came, ARRIVED, sender)] if receiver == rank else []
        for time, what, peer in sorted(events):
            made.event(time, what, peer)
        made.over(70)
        made.write(tmp_path)
    write_beside(tmp_path, plan, rooms, range(5))
    job = find_job(str(tmp_path))
    assert job.notes == ["traced were ranks 0-1,4 of 5, as TRUNKLINE_TRACE_RANKS said"]
    [group] = analyse(job).groups
    [tree] = group.trees
    assert sorted(tree.times.nodes) == [0, 1]
    assert tree.times.nodes[0].contributors == [0, 1, 3]
    assert tree.times.nodes[1].contributors == [1, 2]
    down_latency = {one.node: one.stats.mean for one in tree.stages if one.kind == "down latency"}
    assert down_latency == {0: 5.0, 1: 5.0}


def test_where_the_root_is_left_out_there_is_no_tree(tmp_path, rooms):  # noqa: F811
    plan = plan_of(rooms, [None, 0, 1])
    for rank in (1, 2):
        made = Made(rank, 3, plan.host_of_rank[rank], kinds=[kind_bytes(plan=0x1234)], chosen=1)
        made.begin(0, 0)
        if rank == 2:
            made.event(5, HANDED_ON, 1)
            made.event(50, ARRIVED, 1)
        else:
            made.event(9, ARRIVED, 2)
            made.event(10, HANDED_ON, 0)
            made.event(40, ARRIVED, 0)
            made.event(41, HANDED_ON, 2)
        made.over(60)
        made.write(tmp_path)
    write_beside(tmp_path, plan, rooms, range(3))
    [group] = analyse(find_job(str(tmp_path))).groups
    assert (group.trees, group.rounds) == ([], [])
    assert group.critical is not None


def test_native_calls_are_told_apart_by_their_numbers(tmp_path):
    """Rank 1 turned its trace off one call earlier: without numbers its calls would be taken for those after."""
    native = kind_bytes(plan=0, size=4, segment=0, communicator=1, name="native")
    for rank in range(2):
        made = Made(rank, 2, kinds=[native], chosen=4)
        for number in range(5, 9 - rank):
            made.begin(1000.0 * number, number)
            made.over(1000.0 * number + 10 * number)
        made.write(tmp_path)
    [group] = analyse(find_job(str(tmp_path))).groups
    assert (group.counted, group.group.unmatched) == (3, 1)
    assert abs(group.entries[0] - group.entries[1]).max() == 0


def test_between_calls_that_are_not_traced_nothing_is_known(tmp_path):
    for rank in range(2):
        made = Made(rank, 2, kinds=[kind_bytes(plan=0, segment=0, communicator=1, name="native")], chosen=2)
        for turn in range(6):
            made.calls += 1  # the number that is missing where calls were left out
            made.begin(100.0 * turn + 60.0 * rank, turn)
            made.over(100.0 * turn + 70.0)
        made.write(tmp_path)
    [group] = analyse(find_job(str(tmp_path))).groups
    assert group.imbalance.reason == "late"


def late_after_what_was_left_out(folder, left_out):
    """Rank 1 comes 500 us late to the second and the third call. Before the second one both may have made others."""
    for rank in range(2):
        made = Made(rank, 2, "a", kinds=[kind_bytes(plan=0)])
        for turn, begin in enumerate((0.0, 10_000.0, 20_000.0)):
            late = 500.0 if rank == 1 and turn else 0.0
            made.calls += left_out if turn == 1 else 0
            made.begin(begin + late, turn)
            made.over(begin + 600.0)
        made.write(folder)


def test_what_ranks_did_around_calls_left_out_is_not_known(tmp_path):
    """Numbers of calls have a gap there. Between the others it is the program that makes rank 1 late."""
    found = []
    for left_out in (0, 1):
        folder = tmp_path / str(left_out)
        folder.mkdir()
        late_after_what_was_left_out(folder, left_out)
        job = find_job(str(folder))
        found.append([rank_calls(read_trace(header)).gap.tolist() for header in job.headers])
        [group] = analyse(job, skip=0).groups
        assert group.imbalance.program == pytest.approx(500.0)
    assert found == [
        [[-1, 9_400_000, 9_400_000], [-1, 9_900_000, 9_900_000]],
        [[-1, -1, 9_400_000], [-1, -1, 9_900_000]],
    ]


def test_what_waits_for_a_call_under_way_may_not_be_the_program(tmp_path):
    """Between the second call's end and the third's start the rank may have waited for the one that does not block."""
    started = kind_bytes(communicator=1 << 31 | 1, size=100, collective="bcast", name="linear")
    one = Made(0, 1, kinds=[kind_bytes(), started])
    one.begin(0, 0)
    one.over(10)
    one.begin(15, 1, kind=1)
    one.begin(20, 2)
    one.over(30)
    one.put(50, 1, OVER)
    one.begin(60, 3)
    one.over(70)
    one.begin(90, 4)
    one.over(95)
    one.write(tmp_path)
    [header] = find_job(str(tmp_path)).headers
    found = rank_calls(read_trace(header))
    assert found.gap.tolist() == [-1, -1, -1, -1, 20_000]
    assert [found.kinds[kind].is_blocking for kind in found.kind] == [True, False, True, True, True]
