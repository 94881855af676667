"""``trunkline trace top``: files that grow between looks, that are cut off, that turn round, or that are not there."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_trace import ARRIVED, BEGIN, OVER, Made, eight_ranks, kind_bytes

from trunkline.errors import BadInput
from trunkline.trace.top import Top

WALL_NS = 1_767_225_600_000_000_000
BCAST = kind_bytes(size=100, collective="bcast", name="linear")
SUM = ("allreduce", 4, "custom")


class Clock:
    """The observer's; microseconds since the ranks' traces began."""

    us = 0.0

    def __call__(self):
        return WALL_NS + round(self.us * 1000)


@pytest.fixture
def clock():
    return Clock()


def shares(spent, kind=None):
    return {rank: round(share, 6) for rank, share in spent.shares(kind).items()}


def test_calls_that_do_not_block_are_no_time_in_collectives(tmp_path, clock):
    """Several may be under way at once, and the program works meanwhile."""
    started = kind_bytes(communicator=1 << 31 | 1, size=100, collective="bcast", name="linear")
    ranks = [Made(rank, 2, f"h{rank}", finished=False, kinds=[kind_bytes(), started]) for rank in range(2)]
    for one in ranks:
        one.begin(100, 0, kind=1)
        one.over(900)
        one.begin(1000, 1)
        one.over(1100)
        one.write(tmp_path)
    clock.us = 2000
    spent = Top(str(tmp_path), None, clock).look().whole
    assert shares(spent, SUM) == {0: 0.05, 1: 0.05}
    assert shares(spent, ("ibcast", 100, "linear")) == {0: 0.0, 1: 0.0}
    assert next(row.mean_us for row in spent.rows() if row.collective == "ibcast") == 800.0


def test_a_call_that_says_late_that_it_began(tmp_path, clock):
    """It has waited behind others that were started, whose records came meanwhile; then it hangs."""
    started = kind_bytes(communicator=1 << 31 | 1, size=100, collective="bcast", name="linear")
    one = Made(0, 1, "h0", finished=False, kinds=[kind_bytes(), started])
    one.begin(100, 0, kind=1)
    one.event(800, ARRIVED)
    one.begin(300, 1)
    one.write(tmp_path)
    clock.us = 2300
    assert shares(Top(str(tmp_path), None, clock).look().whole, SUM) == {0: pytest.approx(2000 / 2300, abs=1e-6)}


def test_each_look_counts_what_is_new(tmp_path, clock):
    ranks = [Made(rank, 2, f"h{rank}", finished=False, kinds=[kind_bytes(), BCAST]) for rank in range(2)]
    top = Top(str(tmp_path), None, clock)
    for rank, one in enumerate(ranks):
        one.begin(100, 0)
        one.over(200 + 100 * rank)
        one.begin(900, 0, kind=1)  # and is in it at the first look, at 1000
        one.write(tmp_path)
    clock.us = 1000
    look = top.look()
    assert (look.ranks, look.hosts, look.ended, look.notes) == (2, {0: "h0", 1: "h1"}, False, [])
    assert shares(look.last) == {0: 0.2, 1: 0.3}
    rows = {row.collective: row for row in look.last.rows()}
    assert (rows["allreduce"].calls, rows["allreduce"].mean_us) == (1, 150.0)
    assert (rows["allreduce"].share, rows["allreduce"].least_share) == (pytest.approx(0.15), 0.1)
    assert (rows["allreduce"].most_rank, rows["allreduce"].least_rank) == (1, 0)
    assert (rows["bcast"].calls, rows["bcast"].mean_us, rows["bcast"].share) == (0, None, 0.1)

    ranks[0].over(1500)
    ranks[0].write(tmp_path)
    clock.us = 2000
    look = top.look()
    assert shares(look.last) == {0: 0.5, 1: 1.0}
    [row] = look.last.rows()
    assert (row.collective, row.calls, row.mean_us) == ("bcast", 1, 600.0)  # from beginning to end, not within the look
    assert (row.share, row.most_rank, row.most_share, row.least_rank) == (0.75, 1, 1.0, 0)
    assert shares(look.whole) == {0: 0.35, 1: 0.65}

    ranks[1].over(2600, failed=True)
    for one in ranks:
        one.finished = True
        one.write(tmp_path)
    clock.us = 9000
    look = top.look()
    assert look.ended
    assert shares(look.whole, ("bcast", 100, "linear")) == {0: 0.3, 1: round(1700 / 2600, 6)}


@settings(max_examples=100)
@given(data=st.data())
def test_any_looks_add_up_to_one(tmp_path_factory, data):
    """However records come in between looks, all looks together count what one look at the end counts."""
    folder = tmp_path_factory.mktemp("top")
    times = data.draw(st.lists(st.integers(1, 50), min_size=2, max_size=40))
    made, at, inside, calls = Made(0, 1, kinds=[kind_bytes(), BCAST], calls=65530), 0, [0, 0], [0, 0]
    begins = []
    for gap in times:  # of two threads at most, so that calls overlap
        at += gap
        if begins and data.draw(st.booleans()):
            number, begun, kind = begins.pop(data.draw(st.integers(0, len(begins) - 1)))
            made.put(at, number, OVER)
            inside[kind] += at - begun
            calls[kind] += 1
        elif len(begins) < 2:
            kind = data.draw(st.integers(0, 1))
            made.put(at, made.calls, BEGIN | kind << 4)
            begins.append((made.calls, at, kind))
            made.calls += 1
    all_records, clock = made.records, Clock()
    top = Top(str(folder), None, clock)
    made.finished = False
    for upto in sorted(data.draw(st.lists(st.integers(0, len(all_records)), max_size=6))):
        made.records = all_records[:upto]
        made.write(folder)
        clock.us = max(clock.us, made.records[-1][0] % (1 << 48) / 1000 if upto else 0)
        top.look()
    made.records, made.finished = all_records, not begins
    made.write(folder)
    clock.us = max(clock.us, at)
    whole = top.look().whole
    for _, begun, kind in begins:
        inside[kind] += at - begun
    found = [
        sum(one[i] for one in whole.calls.get(kind, {}).values())
        for kind in (SUM, ("bcast", 100, "linear"))
        for i in (0, 1)
    ]
    assert found == [calls[0], inside[0] * 1000, calls[1], inside[1] * 1000]


def test_a_ring_that_turns_faster_than_looks(tmp_path, clock):
    made, top = Made(0, 1, finished=False), Top(str(tmp_path), None, clock)
    made.begin(0, 0)
    made.write(tmp_path, capacity=16)
    clock.us = 5
    assert top.look().notes == []
    made.records = []
    for turn in range(8):
        made.begin(1000 + 10 * turn, turn)
        made.over(1000 + 10 * turn + 5)
    made.write(tmp_path, capacity=16, lost=20)
    clock.us = 1080
    look = top.look()
    assert [note.split(":")[0] for note in look.notes] == [
        "19 records were overtaken by newer ones before they were read"
    ]
    # What the first call did meanwhile is not known: time counts from the first record that is there.
    assert look.last.elapsed == {0: 80_000}
    assert shares(look.last) == {0: 0.5}


@pytest.mark.parametrize("looks", [1, 3])  # while the rank has lost its processor
def test_a_record_that_is_half_written_counts_once_it_is_whole(tmp_path, clock, looks):
    made, top = Made(0, 1, finished=False), Top(str(tmp_path), None, clock)
    made.begin(0, 0)
    made.put(5, 0, 0)
    made.write(tmp_path)
    for clock.us in range(8, 8 + looks):
        assert shares(top.look().last) == {0: 1.0}
    made.records.pop()
    made.over(5)
    made.begin(20, 1)
    made.write(tmp_path)
    clock.us = 30
    look = top.look()
    [row] = look.last.rows()
    # Ten of the time since; less what the looks before took for the call's, which had ended.
    since = 7 + looks
    assert (row.calls, row.mean_us, row.share) == (1, 5.0, (10 - (since - 5)) / (30 - since))
    assert shares(look.whole) == {0: (5 + 10) / 30}


def test_a_job_that_ran_before_the_first_look(tmp_path, clock, monkeypatch):
    monkeypatch.setattr("trunkline.trace.top.FIRST_RECORDS", 10)
    made = Made(0, 1, finished=False)
    for turn in range(50):
        made.begin(10 * turn, turn)
        made.over(10 * turn + 5)
    made.write(tmp_path)
    clock.us = 500
    look = Top(str(tmp_path), None, clock).look()
    assert look.notes == ["the job ran before: 90 records of then are left out"]
    assert (look.last.rows()[0].calls, shares(look.last)) == (5, {0: 0.5})
    made.finished = True
    made.write(tmp_path)
    look = Top(str(tmp_path), None, clock).look()
    assert (look.ended, look.last.rows()[0].calls) == (True, 50)


def test_files_come_one_after_another(tmp_path, clock):
    folder = tmp_path / "late"
    top = Top(str(folder), None, clock)
    assert top.look() is None
    assert "no such folder yet" in top.waits_for
    folder.mkdir()
    assert top.look() is None
    assert top.waits_for.endswith(": no trace yet")
    (folder / "20260101-000000-1.rank-00000.trace").write_bytes(bytes(8192))  # made, and not begun
    assert top.look() is None
    Made(1, 3, finished=False).write(folder)
    assert top.look().notes == ["no trace of 2 of 3 ranks: 0,2"]
    for rank in (0, 2):
        Made(rank, 3).write(folder)
    assert (top.look().notes, top.look().ended) == ([], False)


def test_a_file_that_ends_in_its_records(tmp_path, clock):
    made, top = Made(0, 1, finished=False), Top(str(tmp_path), None, clock)
    for turn in range(4):
        made.begin(10 * turn, turn)
        made.over(10 * turn + 5)
    file = made.write(tmp_path)
    file.write_bytes(file.read_bytes()[:-70])
    clock.us = 40
    for _ in range(2):
        look = top.look()
        assert look.notes == [f"cut off, so calls are missing: {file.name}"]
        assert look.whole.calls[SUM][0][0] == 1
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(BadInput, match="ends within its header"):
        top.look()
    file.unlink()
    with pytest.raises(BadInput, match=rf"cannot read .*{file.name}: No such file"):
        top.look()


def test_no_trace_at_all_is_told_at_the_second_look(tmp_path, clock):
    (tmp_path / "x.trace").write_bytes(b"nonsense")
    top = Top(str(tmp_path), None, clock)
    assert top.look() is None
    with pytest.raises(BadInput, match="no trace file of Trunkline"):
        top.look()


def test_files_that_contradict_each_other(tmp_path, clock):
    Made(0, 2).write(tmp_path)
    Made(1, 3).write(tmp_path)
    with pytest.raises(BadInput, match="contradict each other about its ranks"):
        Top(str(tmp_path), None, clock).look()


def test_several_jobs(tmp_path, clock):
    eight_ranks(tmp_path, job="20260101-000000-1")
    eight_ranks(tmp_path, job="20260102-000000-2")
    with pytest.raises(BadInput, match=r"holds 2 jobs \(all ended\); choose one with --job:\n  20260101-000000-1: 8"):
        Top(str(tmp_path), None, clock).look()
    assert Top(str(tmp_path), "20260101", clock).look().ended
    with pytest.raises(BadInput, match="holds 2 jobs whose names begin with 2026"):
        Top(str(tmp_path), "2026", clock).look()
    later = Top(str(tmp_path), "20260103", clock)
    assert later.look() is None
    assert later.waits_for.endswith("no trace yet of job 20260103")
    eight_ranks(tmp_path, job="20260103-000000-3", finished=False)
    assert later.look().job == "20260103-000000-3"
    assert Top(str(tmp_path), None, clock).look().job == "20260103-000000-3"  # the one that runs
    eight_ranks(tmp_path, job="20260104-000000-4", finished=False)
    with pytest.raises(BadInput, match=r"holds 4 jobs \(2 that have not ended\)"):
        Top(str(tmp_path), None, clock).look()


def test_times_of_more_bits_than_a_record_has(tmp_path, clock):
    late = math.ceil((1 << 48) / 1000) - 30
    made, top = Made(0, 1, finished=False), Top(str(tmp_path), None, clock)
    made.begin(late, 0)
    made.write(tmp_path)
    clock.us = late + 10
    assert top.look() is not None
    made.over(late + 60)
    made.write(tmp_path)
    clock.us = late + 110
    look = top.look()
    assert look.last.rows()[0].mean_us == 60.0
    assert shares(look.last) == {0: 0.5}


def test_the_command(trunkline, tmp_path):
    gone = trunkline("trace", "top", tmp_path / "gone", "--count", "2", "--interval", "0.1")
    waiting, refused = gone.error.splitlines()
    assert gone.status == 2
    assert waiting.endswith("gone: no such folder yet: waiting for a job")
    assert refused.startswith("trunkline: ")
    assert "no such folder yet, after 2 looks; run the job with TRUNKLINE_TRACE=" in refused
    eight_ranks(tmp_path)
    ended = trunkline("trace", "top", tmp_path)
    assert ended.status == 0
    assert "8 ranks, mpich 4.0.2" in ended.error
    assert "the job has ended; all of it:" in ended.error
    assert "whole job 0.0 s" in ended.error
    made = Made(0, 1, finished=False, job="20260101-000000-9")
    made.begin(1, 0)
    made.write(tmp_path)
    running = trunkline("trace", "top", tmp_path, "--job", "20260101-000000-9", "--count", "3", "--interval", "0.1")
    assert running.status == 0
    assert running.error.count("job 20260101-000000-9: 1 ranks") == 3
    assert "100.0%" in running.error
