"""Faults of programs and of jobs: what MPI reports is reported, and nothing waits for ever where MPI does not."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import BUILD, ON_OWN_HOST, Mpi, Outcome
from test_reductions import FAR_APART

CLUSTER = {"TRUNKLINE_CLUSTER": "cyclic"}
SITES = Path(__file__).with_name("sites.yaml")
BY_TREES = "two-tree:1448"
SOUND = ["late-rank", "little-shorter", "shorter", "longer", "other-root", "errors-again-and-again", "the-same-again"]
SOUND += ["handler-throws", "handler-broadcasts", "invalid-datatype", "delete-callback", "pending-idup", "dist-graph"]
SOUND += ["stopped-rank", "far-ahead", "out-of-descriptors", "handler-ends-thread", "session"]
SOUND += ["error-without-communicator"]
REDUCING = ["late-reduce-root", "shorter-operand", "longer-operand", "little-longer-operand", "operand-handler-throws"]
REDUCING += ["long-beside-short-operands", "short-beside-long-operands"]
LATE = "late-beside-a-faulty-one"
OTHERS = ["linear:1448", "circulant:1448", "scatter-ring", "scatter-doubling", "flat", "multicast"]


def fault(
    mpi: Mpi, *cases: str, ranks: int = 4, status: int | None = 0, nap_us: int = 200, cluster: str = "cyclic"
) -> Outcome:
    """Cases, each perhaps with a choice of algorithm ("CASE@CHOICE"), one after another in one job."""
    settings = {"TRUNKLINE_CLUSTER": cluster, "NAP_US": str(nap_us)}
    program = mpi.program("runtime-faults")
    done = mpi.run(ranks, program, *cases, settings=settings, per_rank=[ON_OWN_HOST], status=status)
    if status == 0:
        for rank in range(ranks):
            assert f"rank {rank}: fine" in done.out, done.out + done.err
        assert [line for line in done.out.splitlines() if line.endswith(" begins")] == [
            f"{one} begins" for one in cases
        ]
    return done


@pytest.mark.parametrize("choice", [BY_TREES, "multicast"])
def test_the_program_goes_on(any_mpi: Mpi, choice: str):
    """Open MPI 4 has no sessions."""
    fault(any_mpi, *(f"{case}@{choice}" for case in SOUND if any_mpi.name != "openmpi" or case != "session"))


def test_reductions_and_others_go_on(any_mpi: Mpi):
    """A rank takes a reduction for a broadcast: over a line the two ranks concerned would wait for each other, and
    nothing is there that tells of it."""
    cases = [f"{case}@{choice}" for choice in (BY_TREES, "linear") for case in REDUCING]
    cases += [f"{LATE}@flat:256KiB", f"{LATE}@linear", "error-elsewhere@flat"]
    fault(any_mpi, *cases, f"other-collective@{BY_TREES}")


def test_reductions_with_two_roots_go_on(any_mpi: Mpi, tmp_path: Path):
    """Whoever is late, is wrong or gives up, one of the two among them."""
    file = tmp_path / "far-apart.yaml"
    file.write_text(FAR_APART)
    cases = [f"{case}@by-sites-binary{segment}" for segment in (":1448", "") for case in REDUCING]
    fault(any_mpi, *cases, cluster=str(file))


def test_reductions_by_multicast_go_on(any_mpi: Mpi):
    fault(any_mpi, *(f"{case}@multicast" for case in REDUCING))
    # A reduce is native over sites, and there a library may let ranks run ahead of a root that is late.
    grouped = [case for case in REDUCING if case != "late-reduce-root"]
    fault(any_mpi, *(f"{case}@by-sites-multicast" for case in grouped), ranks=7, cluster=str(SITES))


def test_other_sizes_roots_and_shares_under_every_way(any_mpi: Mpi):
    cases = [f"{case}@{choice}" for choice in OTHERS for case in ("shorter", "longer", "other-root")]
    fault(any_mpi, *cases, "other-shares@ring:1448", "other-shares@unaware-ring", "other-shares@multicast", ranks=5)


@pytest.mark.parametrize(
    ("case", "choice", "ranks"),
    [
        ("many-communicators", BY_TREES, 2),
        ("small-stack", BY_TREES, 4),  # the one case that asks for MPI_THREAD_MULTIPLE
        ("out-of-memory", "two-tree:16MiB", 4),  # for the last rank's segments
    ],
)
def test_what_takes_a_job_of_its_own(any_mpi: Mpi, case: str, choice: str, ranks: int):
    fault(any_mpi, f"{case}@{choice}", ranks=ranks)


def scarce(mpi: Mpi, case: str, status: int | None, **settings: str) -> Outcome:
    """The preload library's own memory is scarce, nobody else's."""
    both = f"{BUILD / 'tests' / 'runtime' / 'libruntime-scarce.so'}:{mpi.library}"
    words = [mpi.program("runtime-faults"), case]
    return mpi.run(4, *words, settings=CLUSTER | settings, per_rank=[ON_OWN_HOST], preload=both, status=status)


@pytest.mark.parametrize("learns", ["0", "any"])
def test_a_rank_with_little_memory_to_plan(any_mpi: Mpi, learns: str):
    """It knows neither whether the others run natively nor how to tell them: some memory is kept for that."""
    done = scarce(any_mpi, "little-memory-to-plan", 0, TRUNKLINE_LEARN=learns)
    assert done.out.count(": fine") == 4, done.out + done.err


def test_a_rank_without_any_memory_to_plan_ends_the_job(any_mpi: Mpi):
    begin = time.monotonic()
    done = scarce(any_mpi, "no-memory-to-plan", None)
    assert done.status != 0
    assert "trunkline: rank 3 has no memory left to find out what the other ranks run" in done.err, done.err
    assert time.monotonic() - begin < 60


@pytest.mark.parametrize("natively", [False, True])
def test_a_revoked_communicator(any_mpi: Mpi, natively: bool):
    if any_mpi.family != "openmpi" or any_mpi.name == "openmpi":
        pytest.skip("Open MPI from 5 on alone revokes communicators")
    mpi = replace(any_mpi, launcher=(*any_mpi.launcher, "--with-ft", "ulfm"))
    words = [mpi.program("runtime-faults"), "revoked@linear"]
    preload = None if natively else "own"
    done = mpi.run(3, *words, settings=CLUSTER, per_rank=[ON_OWN_HOST], preload=preload)
    assert done.out.count(": fine") == 3, done.out + done.err


def long_waits(done: Outcome) -> list[str]:
    return [line for line in done.lines("trunkline: rank ") if "has waited 10 s" in line]


def test_ranks_that_wait_for_ever_say_for_what(any_mpi: Mpi):
    """One rank is in the MPI library's broadcast, the others in ours: the ranks cannot hear of each other."""
    done = fault(any_mpi, "on-both-sides-of-the-floor@auto", status=None, nap_us=5000)
    said = long_waits(done)
    assert done.status != 0
    assert len(said) == len(set(said)) > 0, done.err
    call = "in MPI_Bcast (5000 bytes, root 0, communicator uneven of 4 ranks) for rank"
    assert all(call in line for line in said), done.err
    assert any("for rank 0 of MPI_COMM_WORLD to send" in line for line in said), done.err


def test_ranks_that_wait_for_a_late_one_say_so_once_and_go_on(any_mpi: Mpi):
    said = long_waits(fault(any_mpi, f"late-for-long@{BY_TREES}", nap_us=5000))
    assert [line.split()[2] for line in sorted(said)] == ["1", "2", "3"]
    assert all("Nothing is wrong where th" in line for line in said)


@pytest.mark.parametrize("case", ["killed-rank", "killed-in-allreduce", "handler-aborts"])
def test_the_job_ends(any_mpi: Mpi, case: str):
    """The launcher waits for nobody who waits for a rank that is gone."""
    begin = time.monotonic()
    done = fault(any_mpi, f"{case}@{BY_TREES}", status=None)
    assert done.status != 0
    assert time.monotonic() - begin < 120


def test_the_job_ends_where_one_of_two_roots_is_killed(any_mpi: Mpi, tmp_path: Path):
    """The last rank, alone on its side of the longest link."""
    file = tmp_path / "far-apart.yaml"
    file.write_text(FAR_APART)
    begin = time.monotonic()
    done = fault(any_mpi, "killed-in-allreduce@by-sites-binary", status=None, cluster=str(file))
    assert done.status != 0
    assert time.monotonic() - begin < 120


def script(ranks: Sequence[int], change: str) -> list[str]:
    """Put in front of each rank's command: `change` is done on some ranks."""
    chosen = "|".join(str(rank) for rank in ranks)
    return ["sh", "-c", f'case "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" in {chosen}) {change};; esac; exec "$@"', "sh"]


@pytest.mark.parametrize(
    ("silent", "named"), [([2], "rank 2 of"), ([1, 2], "ranks 1, 2 of"), ([0], "rank 0 of"), ([0, 1], "rank 0 of")]
)
def test_ranks_without_the_library_are_named_and_see_nothing_of_ours(any_mpi: Mpi, silent: list[int], named: str):
    settings = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_HOST": "h0", "TRUNKLINE_PATIENCE": "2"}
    program = any_mpi.program("runtime-faults")
    done = any_mpi.run(
        4, program, "first-allgather", settings=settings, per_rank=script(silent, f"LD_PRELOAD={any_mpi.yields}")
    )
    said = done.lines("trunkline: warning: ")
    assert len(said) == 2, done.err
    assert f"{named} MPI_COMM_WORLD ha" in said[0]
    assert "not loaded Trunkline's preload library within 2 s" in said[0]
    assert "runs natively on all ranks" in said[1]
    assert done.out.count(": fine") == 4


def test_ranks_without_the_library_end_a_strict_job(any_mpi: Mpi):
    settings = {"TRUNKLINE_STRICT": "1", "TRUNKLINE_PATIENCE": "2"}
    program = any_mpi.program("runtime-faults")
    without = f"LD_PRELOAD={any_mpi.yields}"
    for silent in ([1], [0]):
        words = script(silent, without)
        done = any_mpi.run(3, program, "first-allgather", settings=settings, per_rank=words, status=None)
        assert done.status != 0
        assert f"rank {silent[0]} of MPI_COMM_WORLD has not loaded" in done.err, done.err


@pytest.mark.parametrize(
    ("parents", "children"), [(True, "all"), (True, "none"), (False, "all"), (True, "all but rank 0")]
)
def test_jobs_that_a_program_spawns(any_mpi: Mpi, parents: bool, children: str):
    if any_mpi.name == "mpich":
        pytest.skip("Debian's MPICH cannot spawn, natively neither")
    # Shared memory alone joins no two jobs.
    mpi = replace(any_mpi, launcher=tuple(f"{word},tcp" if "self," in word else word for word in any_mpi.launcher))
    program = mpi.program("runtime-spawn")
    settings = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_HOST": "h0", "TRUNKLINE_PATIENCE": "2"}
    # Open MPI gives what it spawns the launcher's environment, MPICH that of the parents.
    loaded = "" if children == "none" else f"{mpi.yields}:{mpi.library}"
    words = ["env", f"LD_PRELOAD={loaded}", *(f"{name}={value}" for name, value in settings.items())]
    words += script([0], f"LD_PRELOAD={mpi.yields}") if children == "all but rank 0" else []
    done = mpi.run(2, program, *words, program, settings=settings, preload="own" if parents else None, status=None)
    named = done.lines("trunkline: warning: rank 0 of MPI_COMM_WORLD has not loaded")
    assert len(named) == (children == "all but rank 0"), done.err
    # What the others asked rank 0 is left there. MPICH 5 reports that at rank 0's end, and ends the others with it.
    if mpi.family == "openmpi" or not named:
        assert done.out.count(": fine") == 4, done.out + done.err
        assert done.status == 0, done.err


@pytest.mark.parametrize("disabled", [0, 2])
def test_a_disabled_rank_takes_part_and_is_named(any_mpi: Mpi, disabled: int):
    settings = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_HOST": "h0"}
    program = any_mpi.program("runtime-faults")
    done = any_mpi.run(
        3, program, "first-allgather", settings=settings, per_rank=script([disabled], "export TRUNKLINE_DISABLE=1")
    )
    said = done.lines("trunkline: warning: ")
    assert len(said) == 2, done.err
    assert re.search(rf"rank {disabled} on .* was told to change nothing \(TRUNKLINE_DISABLE=1\)", said[0])


@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_a_tool_that_wraps_the_same_calls(any_mpi: Mpi, first: bool):
    """Before us a tool sees all calls, and broadcasts are native; after us it hears of those that are handed on."""
    tool = str(any_mpi.library.parent.parent / "tests" / "runtime" / f"libruntime-profiler-{any_mpi.name}.so")
    both = [tool, str(any_mpi.library)] if first else [str(any_mpi.library), tool]
    words = [any_mpi.program("runtime-faults"), "first-allgather", "delete-callback", "dist-graph"]
    done = any_mpi.run(4, *words, settings=CLUSTER, per_rank=[ON_OWN_HOST], preload=":".join(both))
    assert done.out.count(": fine") == 4, done.out + done.err
    heard = "profiler: 1 broadcasts" if first else "profiler: 1 "
    assert len(done.lines(heard)) == 4, done.err


def test_exceptions_find_one_unwinder(any_mpi: Mpi):
    """A second one, linked in, would not know the program's exceptions."""
    import subprocess

    found = subprocess.run(["readelf", "-d", str(any_mpi.library)], capture_output=True, text=True, check=True)
    assert "libgcc_s.so.1" in found.stdout
    assert "libstdc++" not in found.stdout


def test_a_fifo_as_a_cluster_is_refused_at_once(mpi: Mpi, tmp_path: Path):
    import os

    os.mkfifo(tmp_path / "fifo.yaml")
    settings = {"TRUNKLINE_CLUSTER": str(tmp_path / "fifo.yaml"), "TRUNKLINE_HOST": "h0"}
    done = mpi.run(2, mpi.program("runtime-faults"), "first-allgather", settings=settings)
    assert "not a regular file" in done.err
