"""TRUNKLINE_TRACE: what happens inside calls is in the files, whatever becomes of the program or of the disk."""

import subprocess
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import BUILD, Mpi

from trunkline.trace.analysis import analyse
from trunkline.trace.calls import rank_calls
from trunkline.trace.file import ARRIVED, BEGIN, COMPLETE, HANDED_ON, HEARD, OVER, TOLD, RankTrace, read_trace
from trunkline.trace.folder import Job, find_job
from trunkline.trace.otf2 import export_otf2
from trunkline.trace.protocol import STEPS
from trunkline.trace.top import Top

CHOICES = {
    "TRUNKLINE_ALLREDUCE": "binomial",
    "TRUNKLINE_BCAST": "unaware-linear:30000",
    "TRUNKLINE_ALLGATHER": "native",
}
RANKS = 5


def run(mpi: Mpi, folder: Path, *words: str, ranks: int = RANKS, settings: dict[str, str] | None = None, **options):
    wanted = CHOICES | {"TRUNKLINE_TRACE": str(folder)} | (settings or {})
    return mpi.run(ranks, mpi.program("runtime-trace-calls"), *words, settings=wanted, **options)


def test_threads_that_keep_the_same_plan(any_mpi: Mpi, tmp_path: Path):
    """All write it under one name, each by a file of its own."""
    done = run(any_mpi, tmp_path, "40", "threads", ranks=2)
    assert "cannot write" not in done.err
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []
    assert len(list(tmp_path.glob("*.plan-*.yaml"))) > 0


PLANT = """\
now=$(date +%s)
for second in $(seq "$now" $((now + 60))); do
  stem=$FOLDER/$(date -u -d "@$second" +%Y%m%d-%H%M%S)-$$.cluster.yaml
  ln -s "$VICTIM" "$stem"
  ln -s "$VICTIM" "$stem.0-0.part"
done
exec "$@"
"""
"""Links under names that a job's rank 0 may use in the next minute, made by one who knows its process."""


def test_links_that_another_user_has_planted(mpi: Mpi, tmp_path: Path):
    folder, victim = tmp_path / "shared", tmp_path / "victim"
    folder.mkdir()
    victim.write_text("precious")
    settings = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_HOST": "h0", "FOLDER": str(folder), "VICTIM": str(victim)}
    run(mpi, folder, "1", ranks=2, settings=settings, per_rank=["sh", "-c", PLANT, "sh"])
    assert victim.read_text() == "precious"
    job = find_job(str(folder))
    kept = folder / f"{job.name}.cluster.yaml"
    assert not kept.is_symlink()
    assert job.cluster is not None
    assert job.cluster.name == "cyclic"


def test_a_program_that_goes_to_another_folder(mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    done = run(mpi, Path("trace"), "3", "elsewhere")
    assert "trunkline" not in done.err
    assert len(find_job(str(tmp_path / "trace")).plans) == 2


def records(trace: RankTrace) -> Counter[int]:
    return Counter((trace.what & np.uint64(15)).astype(int).tolist())


def read(job: Job) -> list[RankTrace]:
    return [read_trace(header) for header in job.headers]


def test_every_event_of_every_call(any_mpi: Mpi, tmp_path: Path):
    done = run(any_mpi, tmp_path / "a" / "trace", "7")
    assert "trunkline" not in done.err
    job = find_job(str(tmp_path / "a" / "trace"))
    assert [header.rank for header in job.headers] == list(range(RANKS))
    assert all(header.finished and header.lost == 0 for header in job.headers)
    assert job.notes == []
    traces = read(job)
    counts = [records(trace) for trace in traces]
    calls = 7 * 3 + 1  # and the barrier
    for count in counts:
        assert count[BEGIN] == count[OVER] == calls
    # The sums go over four edges each way, the message of 4 segments along four.
    assert sum(count[ARRIVED] for count in counts) == sum(count[HANDED_ON] for count in counts) == 7 * (8 + 16)
    assert [count[COMPLETE] for count in counts] == [7, 0, 0, 0, 0]
    for trace in traces:
        assert (np.diff(trace.time[trace.what & np.uint64(15) != BEGIN]) >= 0).all()
        kinds = {(kind.collective, kind.bytes, kind.algorithm) for kind in trace.kinds}
        assert ("allreduce", 4, "binomial") in kinds
        assert ("bcast", 100000, "unaware-linear") in kinds
        assert ("barrier", 1, "native") in kinds
    assert sorted(plan.collective for plan, ranks, _ in job.plans.values()) == ["allreduce", "bcast"]
    assert all(ranks == list(range(RANKS)) for _, ranks, _ in job.plans.values())
    for header in job.headers:  # all ranks have one clock here, which is read at both ends
        assert header.end_ns > header.start_ns
        assert abs(header.clock_offset_ns) <= header.clock_error_ns or header.rank == 0
        assert abs(header.end_offset_ns) <= header.end_error_ns or header.rank == 0


def test_rounds_are_traced(any_mpi: Mpi, tmp_path: Path):
    run(
        any_mpi,
        tmp_path,
        "2",
        settings={"TRUNKLINE_ALLREDUCE": "recursive-doubling", "TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_HOST": "h0"},
        ranks=4,
    )
    traces = read(find_job(str(tmp_path)))
    for trace in traces:
        [kind] = [number for number, kind in enumerate(trace.kinds) if kind.collective == "allreduce"]
        assert trace.kinds[kind].algorithm == "recursive-doubling"
    sent, come = (sum(records(trace)[one] for trace in traces) for one in (HANDED_ON, ARRIVED))
    assert sent == come == 2 * 4 * 2 + 2 * 4 * 3  # two rounds of pairs; and the broadcast's segments


def test_multicasts_are_traced(any_mpi: Mpi, tmp_path: Path):
    calls = 10
    settings = {"TRUNKLINE_BCAST": "multicast", "TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_HOST": "h0"}
    done = run(any_mpi, tmp_path, str(calls), settings=settings)
    assert not done.lines("trunkline: warning"), done.err
    job = find_job(str(tmp_path))
    told: list[Counter[tuple[str, int]]] = []
    for trace in read(job):
        [kind] = [number for number, one in enumerate(trace.kinds) if one.collective == "bcast"]
        one = rank_calls(trace)
        chosen = one.kind[one.event_call] == kind
        assert len(np.unique(one.event_call[chosen])) == calls
        words, of_call = one.event_what[chosen], one.event_call[chosen]
        steps = [STEPS[step] for step in (words >> np.uint64(4) & np.uint64(31)).tolist()]
        names = list(zip(steps, (words & np.uint64(15)).astype(int).tolist(), strict=True))
        told.append(Counter(names))
        # Every packet of every call was sent to all, or has come.
        packets = [set() for _ in range(calls)]
        numbers = {call: place for place, call in enumerate(np.unique(of_call).tolist())}
        record = TOLD if trace.header.rank == 0 else HEARD
        for (step, what), call, word in zip(names, of_call.tolist(), words.tolist(), strict=True):
            if step == "data" and what == record:
                packets[numbers[call]].add(word >> 32)
        assert all(one == packets[0] == set(range(len(packets[0]))) for one in packets)
        assert len(packets[0]) > 8
    # Where it was opened, and before the fifth and the ninth call.
    assert [one["meeting", TOLD] for one in told] == [3] * RANKS
    # All ranks share a host here: each below the root says it to its parent once, in memory.
    said, heard = (sum(one["done", record] for one in told) for record in (TOLD, HEARD))
    assert said == heard == calls * (RANKS - 1)
    assert told[0]["poll", TOLD] >= calls
    [found] = [one.protocol for one in analyse(job).groups if one.group.collective == "bcast"]
    assert found is not None
    assert {step.name: step.told for step in found.steps}["done"] >= RANKS - 1
    spans = {span.name: span for span in found.spans}
    assert spans["from the entry to the first packet sent"].ranks == 1
    assert spans["from the entry to the first packet heard"].ranks == RANKS - 1
    export_otf2(job, tmp_path / "otf2")
    words = ["otf2-print", str(tmp_path / "otf2" / "traces.otf2")]
    printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    assert printed.count('Region: "packets heard"') == 2 * calls * (RANKS - 1)


def test_a_job_is_watched_while_it_runs(mpi: Mpi, tmp_path: Path):
    seen: list[tuple[int, float]] = []
    for attempt in range(5):  # on a busy machine few looks may come in time
        trace, seen = tmp_path / f"trace{attempt}", []
        top = Top(str(trace), None)
        with ThreadPoolExecutor() as beside:
            job = beside.submit(run, mpi, trace, "1500")
            while not job.done():
                look = top.look()
                if look is not None and not look.ended and look.last.calls:
                    seen.append((max(row.calls for row in look.whole.rows()), max(look.whole.shares().values())))
                time.sleep(0.01)
            job.result()
        if len(seen) > 3:
            break
    last = top.look()
    assert last is not None
    assert last.ended
    assert last.notes == []
    counts = {(row.collective, row.bytes, row.algorithm): row.calls for row in last.whole.rows()}
    kinds = [("allreduce", 4, "binomial"), ("bcast", 100000, "unaware-linear"), ("allgather", 4 * RANKS, "native")]
    assert counts == dict.fromkeys(kinds, 1500) | {("barrier", 1, "native"): 1}
    seconds = [one.end - one.start for one in map(rank_calls, read(find_job(str(trace))))]
    inside = {rank: sum(one[rank][1] for one in last.whole.calls.values()) for rank in range(RANKS)}
    assert inside == {rank: int(of_rank.sum()) for rank, of_rank in enumerate(seconds)}
    assert len(seen) > 3
    calls, most = zip(*seen, strict=True)
    assert list(calls) == sorted(calls)
    assert calls[0] < 1500
    assert max(most) <= 1.001  # no rank is inside for longer than there was time


@pytest.mark.parametrize(("algorithm", "messages"), [("binomial", 8), ("recursive-doubling", 8)])
def test_other_tools_read_it(mpi: Mpi, tmp_path: Path, algorithm: str, messages: int):
    """As OTF2: every message inside has both ends, whether trees or rounds ran."""
    settings = {"TRUNKLINE_ALLREDUCE": algorithm, "TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_HOST": "h0"}
    run(mpi, tmp_path, "3", settings=settings, ranks=4 if algorithm == "recursive-doubling" else 5)
    job = find_job(str(tmp_path))
    export_otf2(job, tmp_path / "otf2")
    words = ["otf2-print", str(tmp_path / "otf2" / "traces.otf2")]
    printed = subprocess.run(words, check=True, capture_output=True, text=True)
    assert printed.stderr == ""
    names = Counter(line.split()[0] for line in printed.stdout.splitlines() if line)
    assert names["MPI_COLLECTIVE_BEGIN"] == names["MPI_COLLECTIVE_END"] == job.ranks * (3 * 3 + 1)
    assert names["MPI_SEND"] == names["MPI_RECV"] == 3 * (messages + 4 * (job.ranks - 1))


def test_a_ring_keeps_the_latest(mpi: Mpi, tmp_path: Path):
    run(mpi, tmp_path, "3000", settings={"TRUNKLINE_BCAST": "native", "TRUNKLINE_TRACE_SIZE": "256KiB"})
    job = find_job(str(tmp_path))
    assert any("overtaken by newer ones" in note for note in job.notes)
    for trace in read(job):
        assert trace.header.lost == trace.header.head - trace.header.capacity
        assert len(trace.time) == trace.header.capacity
        assert (trace.what[-1] & np.uint64(15)) == OVER


def test_a_killed_program_leaves_all_up_to_there(any_mpi: Mpi, tmp_path: Path):
    run(any_mpi, tmp_path, "20", "kill", status=None)
    job = find_job(str(tmp_path))
    assert any("did not come to its end" in note for note in job.notes)
    assert not job.headers[-1].finished
    assert job.headers[-1].end_ns == 0
    for trace in read(job):
        assert records(trace)[BEGIN] >= 60


def on_small_disk(mpi: Mpi, folder: Path, kilobytes: int, keep: Path) -> Mpi:
    """The launcher in a namespace where the folder is a disk of its own; its files are copied away in the end."""
    script = (
        f'mount -t tmpfs -o size={kilobytes}k none {folder} && "$@"; status=$?; '
        f"cp {folder}/* {keep} 2>/dev/null; exit $status"
    )
    return replace(mpi, launcher=("unshare", "-rm", "sh", "-c", script, "sh", *mpi.launcher))


def test_a_full_disk(any_mpi: Mpi, tmp_path: Path):
    folder, kept = tmp_path / "disk", tmp_path / "kept"
    folder.mkdir()
    kept.mkdir()
    done = run(on_small_disk(any_mpi, folder, 100, kept), folder, "50", ranks=3)
    warnings = done.lines("trunkline: warning: ")
    assert [line for line in warnings if "cannot take room for" in line and "No space left" in line], done.err
    assert len([line for line in warnings if "the program goes on" in line]) == 1
    [lost] = [line for line in warnings if "are lost: it had no trace file" in line]
    assert int(lost.split()[2]) > 300
    assert not list(kept.glob("*.trace"))


def test_a_disk_with_room_for_less(mpi: Mpi, tmp_path: Path):
    folder, kept = tmp_path / "disk", tmp_path / "kept"
    folder.mkdir()
    kept.mkdir()
    done = run(on_small_disk(mpi, folder, 1000, kept), folder, "50", ranks=2)
    assert len([line for line in done.lines("trunkline: warning: ") if "no room for more than" in line]) == 1, done.err
    traces = read(find_job(str(kept)))
    assert [trace.header.rank for trace in traces] == [0, 1]
    assert all(trace.header.capacity < 1 << 20 for trace in traces)


def test_a_file_system_that_cannot_map(any_mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRUNKLINE_TEST_PRELOAD", str(BUILD / "tests" / "runtime" / "libruntime-no-mapping.so"))
    # UCX, below Debian's MPICH, puts a function of its own in the place of mmap() otherwise.
    done = run(any_mpi, tmp_path, "3", settings={"UCX_MEM_MMAP_HOOK_MODE": "none"})
    [said] = [line for line in done.lines("trunkline: warning: ") if "cannot map" in line]
    assert "No such device" in said
    assert f"so for {RANKS - 1} other ranks" in said
    assert not list(tmp_path.glob("*.trace"))


def test_a_limit_of_the_shell_on_files_ends_nothing(mpi: Mpi, tmp_path: Path):
    """A file above it would be a signal; what MPI makes for itself is below."""
    limited = ["bash", "-c", 'ulimit -f 131072; exec "$@"', "bash"]
    done = run(mpi, tmp_path, "3", ranks=2, per_rank=limited, settings={"TRUNKLINE_TRACE_SIZE": "512MiB"})
    assert "no room for more than" in done.err
    assert "File too large" in done.err
    assert [header.capacity for header in find_job(str(tmp_path)).headers] == [1 << 22] * 2


def test_a_file_in_the_folder_s_place(mpi: Mpi, tmp_path: Path):
    (tmp_path / "taken").write_text("")
    done = run(mpi, tmp_path / "taken", "3")
    assert len([line for line in done.lines("trunkline: warning: ") if "the program goes on" in line]) == 1


def test_ranks_that_were_not_told(mpi: Mpi, tmp_path: Path):
    script = 'if [ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 2 ]; then unset TRUNKLINE_TRACE; fi; exec "$@"'
    done = run(mpi, tmp_path, "3", per_rank=["sh", "-c", script, "sh"])
    assert "rank 2 on " in done.err
    assert "was given no TRUNKLINE_TRACE" in done.err
    assert find_job(str(tmp_path)).missing == [2]


def test_ranks_and_collectives_of_choice(any_mpi: Mpi, tmp_path: Path):
    wanted = {"TRUNKLINE_TRACE_RANKS": "0-1,3", "TRUNKLINE_TRACE_COLLECTIVES": "allreduce,allgather"}
    done = run(any_mpi, tmp_path, "7", settings=wanted)
    assert "trunkline" not in done.err
    job = find_job(str(tmp_path))
    assert [header.rank for header in job.headers] == [0, 1, 3]
    assert any(note == f"traced were ranks 0-1,3 of {RANKS}, as TRUNKLINE_TRACE_RANKS said" for note in job.notes)
    for trace in read(job):
        assert {kind.collective for kind in trace.kinds} == {"allreduce", "allgather"}
        assert records(trace)[BEGIN] == 14
        calls = rank_calls(trace)
        known = [(trace.kinds[kind].collective, gap >= 0) for kind, gap in zip(calls.kind, calls.gap, strict=True)]
        # A broadcast goes before each allgather, and nothing before an allreduce but the allgather of the last round.
        assert known == [("allreduce", False), ("allgather", False)] + 6 * [("allreduce", True), ("allgather", False)]
    groups = {one.group.collective: one for one in analyse(job).groups}
    assert groups["allreduce"].counted == groups["allgather"].counted == 7
    [tree] = groups["allreduce"].trees
    assert sorted(tree.times.nodes) == [0, 1], "of the binomial tree 3 hangs below 2, which is not traced"


@pytest.mark.parametrize("how", ["pcontrol", "own"])
def test_the_program_turns_it_on_and_off(any_mpi: Mpi, tmp_path: Path, how: str):
    run(any_mpi, tmp_path, "9", how, settings={"TRUNKLINE_TRACE_START": "0"})
    job = find_job(str(tmp_path))
    for trace in read(job):
        assert Counter(trace.kinds[number].collective for number in rank_calls(trace).kind) == {
            "allreduce": 3,
            "bcast": 3,
            "allgather": 3,
        }
    groups = analyse(job).groups
    assert {(one.group.collective, one.counted, one.group.unmatched) for one in groups} == {
        (name, 3, 0) for name in ("allreduce", "bcast", "allgather")
    }
    # Rounds 3 to 5, of three calls each: native ones have their numbers on MPI_COMM_WORLD.
    native = next(one for one in read(job)[0].kinds if one.plan == 0)
    assert native.collective == "allgather"
    calls = rank_calls(read(job)[0])
    assert calls.turn[calls.kind == read(job)[0].kinds.index(native)].tolist() == [11, 14, 17]


@pytest.mark.parametrize("form", ["mpifh", "usempi", "f08"])
def test_a_program_in_fortran_turns_it_on(mpi: Mpi, tmp_path: Path, form: str):
    """Before its last call."""
    settings = {"TRUNKLINE_TRACE": str(tmp_path), "TRUNKLINE_TRACE_START": "0"}
    done = mpi.run(2, mpi.program(f"runtime-fortran-{form}"), settings=settings)
    assert done.out.strip() == "passed"
    for trace in read(find_job(str(tmp_path))):
        assert [trace.kinds[number].collective for number in rank_calls(trace).kind] == ["allreduce"]


def test_a_time_of_choice(mpi: Mpi, tmp_path: Path):
    """Before it and after it nothing is traced; what ends in it is."""
    run(mpi, tmp_path / "never", "9", settings={"TRUNKLINE_TRACE_TIME": "3600-"})
    assert all(records(trace) == {} for trace in read(find_job(str(tmp_path / "never"))))
    run(mpi, tmp_path / "all", "9", settings={"TRUNKLINE_TRACE_TIME": "-3600"})
    assert all(records(trace)[BEGIN] == 28 for trace in read(find_job(str(tmp_path / "all"))))


def test_two_jobs_in_one_folder_keep_apart(mpi: Mpi, tmp_path: Path):
    for ranks in (2, 3):
        run(mpi, tmp_path, "1", ranks=ranks)
    names = {file.name.partition(".")[0] for file in tmp_path.glob("*.trace")}
    assert sorted(find_job(str(tmp_path), name).ranks for name in names) == [2, 3]
