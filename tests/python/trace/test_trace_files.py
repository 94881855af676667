"""Trace folders as they come: cut off, killed, mixed, overtaken, of several jobs, or no traces at all."""

import contextlib
import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_run import write_beside
from made_trace import ARRIVED, CALL_A, COMPLETE, HANDED_ON, Made, eight_ranks, kind_bytes

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.trace import file as trace_file
from trunkline.trace.analysis import analyse
from trunkline.trace.calls import rank_calls
from trunkline.trace.file import is_begun, read_header, read_trace
from trunkline.trace.folder import find_job
from trunkline.trace.perfetto import export_perfetto
from trunkline.trace.suggest import advice_for
from trunkline.trace.tables import group_tables
from trunkline.trace.top import Top


def files(folder: Path):
    return sorted(folder.glob("*.trace"))


def analysed_or_told(folder: Path):
    """An analysis, or what the reader said instead."""
    try:
        return analyse(find_job(str(folder))), ""
    except BadInput as told:
        return None, str(told)


def test_no_such_folder_and_none_in_it(tmp_path):
    with pytest.raises(BadInput, match="no such folder"):
        find_job(str(tmp_path / "gone"))
    with pytest.raises(BadInput, match="holds no trace; run the job with TRUNKLINE_TRACE="):
        find_job(str(tmp_path))


def test_several_jobs_are_told_apart_and_one_is_chosen(tmp_path):
    eight_ranks(tmp_path, job="20260101-000000-1")
    eight_ranks(tmp_path, calls=(CALL_A,), job="20260102-000000-7")
    with pytest.raises(BadInput, match="holds 2 jobs; choose one with --job:\n  20260101-000000-1: 8 ranks, mpich"):
        find_job(str(tmp_path))
    with pytest.raises(BadInput, match="holds 2 jobs whose names begin with 2026"):
        find_job(str(tmp_path), "2026")
    [group] = analyse(find_job(str(tmp_path), "20260102")).groups
    assert group.counted == 1


def test_files_that_contradict_each_other(tmp_path):
    eight_ranks(tmp_path)
    Made(3, 9).write(tmp_path)
    with pytest.raises(BadInput, match="contradict each other about its ranks"):
        find_job(str(tmp_path))


def test_another_version_is_named(tmp_path):
    eight_ranks(tmp_path)
    Made(2, 8, version=2).write(tmp_path)
    with pytest.raises(BadInput, match=r"rank-00002.trace: has version 2 of the format, and this command reads 1"):
        find_job(str(tmp_path))


def test_an_empty_file_and_a_missing_rank_are_told(tmp_path):
    eight_ranks(tmp_path)
    files(tmp_path)[5].write_bytes(b"")
    job = find_job(str(tmp_path))
    assert job.missing == [5]
    assert {"20260101-000000-1.rank-00005.trace is empty", "no trace of 1 of 8 ranks: 5"} <= set(job.notes)
    [group] = analyse(job).groups
    assert group.counted == 2
    assert group.trees == []  # rank 4's child is not there, so nothing is claimed about the tree


def test_a_killed_program_is_analysed_up_to_there(tmp_path):
    eight_ranks(tmp_path, upto=1090, finished=False)  # in the middle of the second call
    found = analyse(find_job(str(tmp_path)))
    assert "the program did not come to its end; everything up to there is analysed" in found.notes
    [group] = found.groups
    assert group.counted == 1
    [tree] = group.trees
    assert tree.slowest.total == 122.0


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(part=st.floats(0, 1), rank=st.integers(0, 7))
def test_a_file_cut_off_anywhere(tmp_path_factory, part, rank):
    folder = tmp_path_factory.mktemp("cut")
    eight_ranks(folder)
    file = files(folder)[rank]
    whole = file.read_bytes()
    file.write_bytes(whole[: int(part * len(whole))])
    found, told = analysed_or_told(folder)
    if found is None:
        assert file.name in told
        return
    assert all(group.counted in (1, 2) for group in found.groups)
    assert any(file.name in note for note in found.notes) or part == 1


@settings(max_examples=150, deadline=None)
@given(
    raw=st.one_of(
        st.binary(max_size=400),
        st.builds(
            lambda place, patch, whole: whole[:place] + patch + whole[place + len(patch) :],
            st.integers(0, 260),
            st.binary(min_size=1, max_size=12),
            st.just(Made(0, 1, records=[(0, 1), (5, 2)]).as_bytes()),
        ),
    )
)
def test_no_bytes_break_the_reader(tmp_path_factory, raw):
    folder = tmp_path_factory.mktemp("fuzz")
    file = folder / "x.trace"
    file.write_bytes(raw or b"x")
    found, told = analysed_or_told(folder)
    assert found is not None or "x.trace" in told


@pytest.mark.parametrize("job", [b"/x", b"**", b"[", b"a/../b"])
def test_a_job_may_have_any_name_that_is_no_path(tmp_path, job):
    header = Made(0, 1, records=[(0, 1), (5, 2)]).as_bytes()
    place = trace_file._HEADER.fields["job"][1]
    (tmp_path / "x.trace").write_bytes(header[:place] + job.ljust(48, b"\0") + header[place + 48 :])
    _, told = analysed_or_told(tmp_path)
    assert ("its header contradicts itself" in told) == (b"/" in job)


@settings(max_examples=100, deadline=None)
@given(words=st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)), max_size=60))
def test_no_records_break_the_analysis(tmp_path_factory, words):
    folder = tmp_path_factory.mktemp("fuzz")
    Made(0, 1, records=words).write(folder)
    analyse(find_job(str(folder)))


def test_a_ring_is_read_from_its_oldest_record(tmp_path):
    made = Made(0, 1)
    for turn in range(8):
        made.begin(10 * turn, turn)
        made.over(10 * turn + 5)
    made.write(tmp_path, capacity=16, lost=16 + 3)  # 16 records in the file, those of 19 more are gone
    [header] = find_job(str(tmp_path)).headers
    trace = read_trace(header)
    assert header.lost == 19
    assert trace.time.tolist() == [5000 * i for i in range(16)]


def test_long_jobs(tmp_path):
    """Times of 48 bits and numbers of 16 begin anew."""
    made = Made(0, 1, calls=65530)
    late = (1 << 48) / 1000 - 30
    for turn in range(10):
        made.begin(late + 10 * turn, turn)
        made.event(late + 10 * turn + 2, HANDED_ON, peer=0)
        made.over(late + 10 * turn + 7)
    made.write(tmp_path)
    calls = rank_calls(read_trace(read_header(files(tmp_path)[0])))
    assert len(calls) == 10
    assert (calls.end - calls.start).tolist() == [7000] * 10
    assert (np.diff(calls.start) == 10000).all()
    assert calls.event_call.tolist() == list(range(10))


def test_calls_of_two_threads_that_overlap(tmp_path):
    made = Made(0, 1)
    made.begin(0, 0)
    made.begin(1, 1)
    made.put(2, 0, ARRIVED | 3 << 12)
    made.put(3, 1, ARRIVED | 4 << 12)
    made.put(4, 0, 2)
    made.put(6, 1, 2)
    made.write(tmp_path)
    calls = rank_calls(read_trace(read_header(files(tmp_path)[0])))
    assert (calls.end - calls.start).tolist() == [4000, 5000]
    assert calls.event_call.tolist() == [0, 1]
    assert (calls.event_what >> np.uint64(12)).tolist() == [3, 4]


def test_a_failed_call_does_not_count(tmp_path):
    made = Made(0, 1)
    made.begin(0, 0)
    made.over(5, failed=True)
    made.begin(10, 1)
    made.over(12)
    made.write(tmp_path)
    calls = rank_calls(read_trace(read_header(files(tmp_path)[0])))
    assert (calls.end - calls.start).tolist() == [2000]


@pytest.mark.parametrize("finished", [True, False])
def test_communicators_whose_number_is_used_again(tmp_path, finished):
    """Rank 1's ring has lost its first calls; rank 1 of a killed program has not made its last ones."""
    for rank, turns in ((0, range(6)), (1, range(2, 6) if finished else range(4))):
        made = Made(rank, 2, finished=finished)
        for turn in turns:
            made.begin(100 * turn, 0)
            made.over(100 * turn + 10 + turn)
        made.write(tmp_path)
    [group] = analyse(find_job(str(tmp_path))).groups
    assert group.group.unmatched == 2
    assert group.by_call.tolist() == ([12, 13, 14, 15] if finished else [10, 11, 12, 13])


def test_native_calls_are_matched_by_their_order(tmp_path):
    for rank in range(2):
        made = Made(rank, 2, kinds=[kind_bytes(plan=0, collective="barrier", name="native", size=1)])
        for turn in range(3):
            made.begin(100 * turn + rank * 20, 0)
            made.over(100 * turn + 30)
        made.write(tmp_path)
    [group] = analyse(find_job(str(tmp_path))).groups
    assert group.group.is_native
    assert group.counted == 3
    assert group.imbalance.waiting == 10.0
    assert group.imbalance.reason == "program"  # rank 1 computes 90 us in between, rank 0 70
    assert group.imbalance.late_ranks == [(1, 1.0)]


def test_ranks_of_a_scan_wait_for_those_before_them(tmp_path):
    for rank, (start, end) in enumerate([(0, 30), (10, 30), (20, 30)]):
        made = Made(rank, 3, kinds=[kind_bytes(plan=0, collective="scan", name="native")])
        made.begin(start, 0)
        made.over(end)
        made.write(tmp_path)
    [group] = analyse(find_job(str(tmp_path))).groups
    assert group.imbalance.waiting == 0.0


def test_a_rank_that_leaves_before_the_last_one_enters_does_not_wait_for_it(tmp_path):
    """A broadcast's root does not wait for anybody."""
    for rank, (start, end) in enumerate([(0, 4), (100, 110)]):
        made = Made(rank, 2, kinds=[kind_bytes(plan=0, collective="bcast", name="native")])
        made.begin(start, 0)
        made.over(end)
        made.write(tmp_path)
    [group] = analyse(find_job(str(tmp_path))).groups
    assert (group.imbalance.waiting, group.imbalance.in_call) == (2.0, 7.0)
    assert group.imbalance.inside == 10.0


def test_the_command_tells_all_of_it(trunkline, tmp_path):
    eight_ranks(tmp_path)
    done = trunkline("trace", "analyse", tmp_path, "--json", "-")
    told = json.loads(done.out)
    assert told["trunkline"] == "trace-analysis/1"
    [group] = told["groups"]
    assert group["suggestions"] == []  # no plan lies beside these traces
    assert group["trees"][0]["slowest_rank"] == 7


def test_the_command_compares(trunkline, tmp_path):
    slow, fast = tmp_path / "slow", tmp_path / "fast"
    for folder, factor in ((slow, 2), (fast, 1)):
        folder.mkdir()
        for rank in range(2):
            made = Made(rank, 2)
            for turn in range(300):
                made.begin(100 * turn, turn)
                made.over(100 * turn + factor * (10 + turn % 3))
            made.write(folder)
    told = json.loads(trunkline("trace", "analyse", fast, "--against", slow, "--json", "-").out)
    [compared] = told["compared"]
    assert compared["times_faster"] == pytest.approx(2.0)
    assert compared["certain"]
    low, high = compared["interval"]
    assert low < 2.0 < high < 2.2


def test_a_ranks_file_that_is_no_text(tmp_path):
    plan = _core.PlanFile()
    plan.algorithm, plan.plan = "custom", _core.Plan([_core.Tree(0, [[1, 2, 4], [], [3], [], [5, 6], [], [7], []])])
    write_beside(tmp_path, plan, load_cluster("paper-4"), range(len(plan.plan)))
    eight_ranks(tmp_path)
    [ranks] = tmp_path.glob("*.ranks")
    ranks.write_bytes(bytes(range(128, 256)))
    found, told = analysed_or_told(tmp_path)
    assert found is None
    assert f"{ranks.name}:1:1: not UTF-8 text" in told


def flipped(whole, place, value):
    """A trace file with one byte of its kinds or records replaced."""
    at = 4096 + place % 96 if place < 96 else 4096 + 2048 * 96 + place % (len(whole) - 4096 - 2048 * 96)
    return whole[:at] + bytes([value]) + whole[at + 1 :]


def looked_at(folder):
    """All that the commands do with a trace; what they say of a faulty one is as good."""
    found, _ = analysed_or_told(folder)
    for group in found.groups if found is not None else []:
        advice_for(found, group)
        group_tables(found, group)
    with contextlib.suppress(BadInput), (folder / "out").open("wb") as file:
        export_perfetto(find_job(str(folder)), file)
    with contextlib.suppress(BadInput):
        Top(str(folder), None).look()


@settings(max_examples=40, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 2000), st.integers(0, 255)), min_size=1, max_size=6))
def test_no_flipped_byte_breaks_what_reads_traces(tmp_path_factory, flips):
    folder = tmp_path_factory.mktemp("flipped")
    eight_ranks(folder, calls=(CALL_A,))
    for rank, place, value in flips:
        file = files(folder)[rank]
        file.write_bytes(flipped(file.read_bytes(), place, value))
    looked_at(folder)


def test_a_root_that_cannot_be(tmp_path):
    eight_ranks(tmp_path, calls=(CALL_A,), kinds=[kind_bytes(root=-300)])
    looked_at(tmp_path)


def test_ranks_that_have_other_segments(tmp_path):
    top, leaf = Made(0, 2), Made(1, 2)
    for made, what, parts in ((top, ARRIVED, 2), (leaf, HANDED_ON, 3)):
        made.begin(0, 0)
        for part in range(parts):
            made.event(1 + part, what, 1 - made.rank, part)
        for part in range(parts if made is top else 0):
            made.event(5 + part, COMPLETE, 0, part)
        made.over(9)
        made.write(tmp_path)
    looked_at(tmp_path)
    [group] = analyse(find_job(str(tmp_path))).groups
    assert group.trees == []  # nothing is claimed about the tree


def test_a_pipe_among_traces_keeps_no_reader_waiting(tmp_path, refused):
    os.mkfifo(tmp_path / "x.trace")
    for read in (is_begun, read_header):
        with pytest.raises(BadInput, match=r"x\.trace: is not a regular file"):
            read(tmp_path / "x.trace")
    assert "x.trace: is not a regular file" in refused("trace", "top", tmp_path)


def test_a_trace_that_is_longer_than_memory(tmp_path, monkeypatch):
    (tmp_path / "a.trace").write_bytes(Made(0, 1, records=[(0, 1), (5, 2)]).as_bytes())
    monkeypatch.setattr(trace_file, "_memory_bytes", lambda: 31)
    with pytest.raises(BadInput, match=r"a\.trace: has more records than this machine has memory for"):
        trace_file.read_trace(read_header(tmp_path / "a.trace"))
