"""A job whose cluster file or plan file changes: what it runs then, on all ranks alike, and what it refuses."""

import subprocess
from dataclasses import replace
from pathlib import Path
from threading import Thread
from time import sleep

import pytest
from conftest import ON_OWN_HOST, Mpi
from test_faults import SOUND
from test_matrix import GROUPS

from trunkline import _core

RANKS = 6
NEAR = """\
trunkline: cluster/1
name: near
switches: s[0-1]
defaults: {rate: 100Mbit, latency: 10us}
hosts:
  - {hosts: "h[0-2]", switch: s0}
  - {hosts: "h[3-5]", switch: s1}
links:
  - {between: [s0, s1]}
"""
FAR = (
    NEAR.replace("h[0-2]", "h[4,1,5]")
    .replace("h[3-5]", "h[2,0,3]")
    .replace("[s0, s1]", "[s0, s1], rate: 20Mbit, latency: 20ms")
)
SETTINGS = {"TRUNKLINE_HOST_COSTS": "free", "TRUNKLINE_MULTICAST": "0", "TRUNKLINE_EXPLAIN": "1"}


def runs(any_mpi: Mpi, text: str) -> str:
    """What a broadcast of 20000 bytes from rank 0 runs."""
    cluster = _core.parse_cluster(text, "")
    native = _core.NativeLibrary[any_mpi.family]
    knowledge = _core.Knowledge(cluster, native, any_mpi.family, "", host_costs="free", multicasts=False)
    placement = [cluster.hosts.index(f"h{rank}") for rank in range(RANKS)]
    decided = _core.Decider(knowledge, "bcast", placement, 0).decide(20000, "auto")
    return f"{decided.algorithm} {decided.segment_bytes}"


class Files:
    """The job's cluster file, and what it becomes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cluster = self.write("cluster", NEAR)

    def write(self, name: str, text: str) -> Path:
        file = self.folder / f"{name}.yaml"
        file.write_text(text)
        return file


def job(any_mpi: Mpi, files: Files, *steps: str, changes: str = "cluster", **settings: str):
    asked = {"TRUNKLINE_CLUSTER": str(files.cluster), "TRUNKLINE_FOLLOW": "1"} | SETTINGS | settings
    file = files.folder / f"{changes}.yaml"
    said = files.folder / f"{changes}.yaml.err"
    to_file = ["sh", "-c", f'exec "$@" 2>>{said}', "sh", ON_OWN_HOST]
    program = any_mpi.program("runtime-follow")
    done = any_mpi.run(RANKS, program, file, *steps, settings=asked, per_rank=to_file, status=None)
    done = replace(done, err=said.read_text() + done.err)
    assert done.status == 0, done.err
    return done, done.out.splitlines()


def test_a_changed_network_is_taken_by_all_and_a_wrong_one_by_none(any_mpi: Mpi, tmp_path: Path):
    files = Files(tmp_path)
    far = files.write("far", FAR)
    lacking = files.write("lacking", FAR.replace("h[2,0,3]", "h[2,0],g3"))
    torn = files.write("torn", FAR[: FAR.index("links") + 3])
    named = files.write("named", FAR + "measured: nowhere.yaml\n")
    near = files.write("near", NEAR)
    wrong = [f"leave:{one}" for one in (torn, lacking, named)]
    done, ran = job(any_mpi, files, f"take:{far}", *wrong, "gone", "pipe", f"take:{near}", "short-lived", f"take:{far}")
    on_near, on_far = runs(any_mpi, NEAR), runs(any_mpi, FAR)
    assert on_near != on_far, "the case is no good any more"
    assert ran == [on_far] * 6 + [on_near] * 2 + [on_far]
    warnings = [line for line in done.lines("trunkline: warning: ") if "the changed cluster file is not" not in line]
    assert len([line for line in warnings if "lacks hosts of this job: h3" in line]) == 1, done.err
    assert len(done.lines("trunkline: warning: the changed cluster file is not taken")) == 5, done.err
    # Their numbers in the file are others on the network that is far.
    said = done.lines(f"trunkline: MPI_Bcast of 20000B from rank 0 on 6 ranks ran {on_far.split()[0]} ")
    assert len(said) == 1, done.err
    assert "(contention-free)" in said[0]
    taken = done.lines("trunkline: from call ")
    assert len([line for line in taken if "a communicator of 6 ranks" in line]) == 3, done.err
    assert len([line for line in taken if "a communicator of 3 ranks" in line]) == 6, done.err


def test_a_wrong_network_is_told_where_rank_0_does_not_meet(mpi: Mpi, tmp_path: Path):
    files = Files(tmp_path)
    torn = files.write("torn", FAR[: FAR.index("links") + 3])
    done, ran = job(mpi, files, f"leave-half:{torn}")
    assert ran == [runs(mpi, NEAR)]
    assert len(done.lines("trunkline: warning: the changed cluster file is not taken")) == 1, done.err


def plans(segment: int, ranks: int = RANKS) -> str:
    """A set for both of the program's communicators, one line each."""
    of = "{collective: bcast, shape: custom, segment: %dB, ranks: %d, root: 0, line: [0-%d]}"
    return f"trunkline: plans/1\nplans:\n  - {of % (segment, ranks, ranks - 1)}\n  - {of % (segment, 3, 2)}\n"


def test_a_changed_plan_file_is_taken_by_all_and_a_wrong_one_by_none(any_mpi: Mpi, tmp_path: Path):
    files = Files(tmp_path)
    file = files.write("plan", plans(1000))
    short, first = files.write("short", plans(500)), files.write("first", plans(1000))
    torn = files.write("torn", plans(700).replace("root: 0", "root: 7"))
    lacking = files.write("lacking", plans(700).replace("root: 0", 'hosts: "g[0-5]", root: 0', 1))
    steps = (f"take:{short}", f"leave:{torn}", f"leave:{lacking}", "gone", f"take:{first}", f"take:{short}")
    done, ran = job(any_mpi, files, *steps, changes="plan", TRUNKLINE_PLAN=str(file))
    assert ran == [f"custom {segment}" for segment in (500, 500, 500, 500, 1000, 500)], done.err
    assert len(done.lines("trunkline: warning: the changed cluster file or plan file is not taken")) == 3, done.err
    taken = done.lines("trunkline: from call ")
    assert len([line for line in taken if f"plans are those of {file} as it is now" in line]) == len(taken) == 9, (
        done.err
    )


def test_a_network_and_its_plans_may_come_in_either_order(mpi: Mpi, tmp_path: Path):
    """By itself the plan is refused: it names a host that only its own network has."""
    files = Files(tmp_path)
    file = files.write("plan", plans(1000))

    said = tmp_path / "plan.yaml.err"

    def change() -> None:
        while not (said.exists() and "MPI_Bcast" in said.read_text()):
            sleep(0.1)
        for name, text in (
            ("plan", plans(500).replace("root: 0", 'hosts: "h[0-4,6]", root: 0', 1)),
            ("cluster", NEAR.replace("h[3-5]", "h[3-6]")),
        ):
            files.write("unfinished", text).rename(tmp_path / f"{name}.yaml")
            sleep(4)

    changing = Thread(target=change, daemon=True)
    changing.start()
    done, ran = job(mpi, files, "take", changes="plan", TRUNKLINE_PLAN=str(file))
    changing.join()
    # On a busy machine both may be seen at once.
    assert len(done.lines("trunkline: warning: the changed cluster file or plan file is not taken")) <= 1, done.err
    assert ran == [runs(mpi, NEAR)], "the plan is for other hosts than the job's"


def test_threads_take_it_each_on_its_own_communicator(any_mpi: Mpi, tmp_path: Path):
    files = Files(tmp_path)
    far, near = files.write("far", FAR), files.write("near", NEAR)
    _, ran = job(any_mpi, files, "threads", f"take:{far}", f"take:{near}")
    assert ran == [runs(any_mpi, text) for text in (NEAR, FAR, NEAR)]


def test_without_the_setting_nobody_looks(mpi: Mpi, tmp_path: Path):
    files = Files(tmp_path)
    far = files.write("far", FAR)
    done, ran = job(mpi, files, f"put:{far}", TRUNKLINE_FOLLOW="0")
    assert ran == [runs(mpi, NEAR)]
    assert not done.lines("trunkline: from call "), done.err


def test_a_multicast_group_outlives_the_plans(mpi: Mpi, tmp_path: Path):
    """It is of the communicator; long links have no multicasts, and others go on with it."""
    files = Files(tmp_path)
    apart = NEAR.replace("[s0, s1]", "[s0, s1], latency: 20ms")
    far, near = files.write("far", apart), files.write("near", NEAR)
    asked = {"TRUNKLINE_MULTICAST": "1", "TRUNKLINE_ALLREDUCE": "multicast"}
    try:
        _, ran = job(mpi, files, "on", f"take:{far}", f"take:{near}", **asked)
    except subprocess.TimeoutExpired:
        said = (tmp_path / "cluster.yaml.err").read_text()
        if "multicast has stopped to reach rank" not in said and "multicast does not work" not in said:
            raise
        pytest.skip("datagrams did not reach a rank on this busy machine, so that there were no more multicasts")
    assert ran == ["multicast 1408", runs(mpi, apart), "multicast 1408"]


def test_tables_of_the_network_as_it_was_are_no_part_of_it(mpi: Mpi, tmp_path: Path):
    files = Files(tmp_path)
    files.cluster.write_text(NEAR + "measured: nowhere.yaml\n")
    asked = {"TRUNKLINE_CLUSTER": str(files.cluster), "TRUNKLINE_FOLLOW": "1"}
    done = mpi.run(RANKS, mpi.program("runtime-hello"), settings=asked, per_rank=[ON_OWN_HOST])
    assert "names tables as measured" in done.err or "nowhere.yaml" in done.err
    assert "hello from" in done.out


def test_what_was_measured_on_the_network_as_it_was_is_refused(mpi: Mpi):
    asked = {"TRUNKLINE_FOLLOW": "1", "TRUNKLINE_TUNING": "./a.yaml", "TRUNKLINE_MEASURED": "./b.yaml"}
    said = mpi.run(2, mpi.program("runtime-hello"), settings=asked, status=2).last_words()
    for words in ("is about a cluster file", "what TRUNKLINE_TUNING=./a.yaml says", "what TRUNKLINE_MEASURED=./b.yaml"):
        assert len([line for line in said if f"TRUNKLINE_FOLLOW=1: {words}" in line]) == 1, said


def test_all_that_mpi_allows(any_mpi: Mpi):
    """Meetings between calls change nothing of them."""
    settings = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_FOLLOW": "1"}
    any_mpi.suite(3, GROUPS, ["linear:100", "auto"], settings=settings)


def test_programs_whose_calls_fail_go_on(any_mpi: Mpi):
    settings = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_FOLLOW": "1", "NAP_US": "200"}
    cases = [f"{case}@two-tree:1448" for case in SOUND if any_mpi.name != "openmpi" or case != "session"]
    done = any_mpi.run(4, any_mpi.program("runtime-faults"), *cases, settings=settings, per_rank=[ON_OWN_HOST])
    assert done.out.count(": fine") == 4, done.out + done.err
