"""Collectives that do not block: several at once, completed in any order, beside all else that a program calls."""

import json
import re
from pathlib import Path

import pytest
from conftest import BUILD, ON_OWN_HOST, Mpi, Outcome
from test_host_memory import ON_SHARED_HOST, shared

from trunkline.trace.analysis import analyse
from trunkline.trace.folder import find_job

CLUSTER = {"TRUNKLINE_CLUSTER": "cyclic"}
CASES = 17


def overlapped(
    mpi: Mpi, ranks: int, calls: int, threads: int, choices: list[str], seed: str = "5", **options: object
) -> Outcome:
    words = [mpi.program("runtime-overlapped"), str(calls), seed, str(threads), *choices]
    return mpi.run(ranks, *words, **({"settings": CLUSTER, "per_rank": [ON_OWN_HOST]} | options))


def accelerated(done: Outcome) -> dict[str, int]:
    """Accelerated calls by collective."""
    return {name: int(ours) for name, ours in re.findall(r"^([\w-]+) (\d+) \d+$", done.out, re.MULTILINE)}


def cases(done: Outcome) -> int:
    return sum(line.startswith("case ") for line in done.out.splitlines())


@pytest.mark.parametrize(
    ("ranks", "choices"),
    [
        (4, ["linear:1448", "two-tree:1000", "native"]),
        (5, ["ring:1448", "phases:100", "binary", "auto"]),
    ],
)
def test_started_in_one_order_and_completed_in_any(any_mpi: Mpi, ranks: int, choices: list[str]):
    # Ranks of MPICH 5 never yield: natively each call takes milliseconds where processors are fewer.
    calls = 600 if any_mpi.name.startswith("mpich-5") else 1200
    done = overlapped(any_mpi, ranks, calls, 1, choices)
    assert cases(done) == CASES
    found = accelerated(done)
    assert all(found[name] > 0 for name in ("bcast", "reduce", "allreduce", "barrier"))


@pytest.mark.parametrize("per_host", [2, 6])
def test_where_ranks_share_hosts(any_mpi: Mpi, per_host: int):
    """Some messages are memory's, which the MPI library knows nothing of, or all of them."""
    done = overlapped(
        any_mpi,
        6,
        400,
        1,
        ["linear:1448", "ring:1000", "flat", "auto"],
        settings=shared(per_host),
        per_rank=[ON_SHARED_HOST],
    )
    assert cases(done) == CASES
    found = accelerated(done)
    assert all(found[name] > 0 for name in ("bcast", "reduce", "allreduce"))


@pytest.mark.parametrize(
    ("ranks", "choices", "per_host"),
    [
        (4, ["multicast", "two-tree:1000", "multicast", "native", "auto"], 1),
        (6, ["multicast", "ring:1448", "multicast", "auto"], 2),
    ],
)
def test_several_multicasts_at_once(any_mpi: Mpi, ranks: int, choices: list[str], per_host: int):
    """On a group that calls that block have opened, with its meetings between them."""
    options = {"settings": shared(per_host) | {"TRUNKLINE_EXPLAIN": "1"}, "per_rank": [ON_SHARED_HOST]}
    done = overlapped(any_mpi, ranks, 100 if any_mpi.name.startswith("mpich-5") else 500, 1, choices, **options)
    assert cases(done) == CASES
    for name in ("MPI_Ibcast", "MPI_Iallreduce"):
        said = [line for line in done.lines(f"trunkline: {name}") if "; multicast: its group is open" in line]
        assert said, done.err


@pytest.mark.parametrize(("ranks", "per_host"), [(4, 1), (6, 2)])
def test_multicasts_at_once_that_get_lost(any_mpi: Mpi, ranks: int, per_host: int, monkeypatch: pytest.MonkeyPatch):
    """Each rank loses others; who has a later one may still ask for an earlier one."""
    monkeypatch.setenv("TRUNKLINE_TEST_PRELOAD", str(BUILD / "tests" / "runtime" / "libruntime-lose-datagrams.so"))
    options = {"settings": shared(per_host) | {"TRUNKLINE_EXPLAIN": "1"}, "per_rank": [ON_SHARED_HOST]}
    calls = 100 if any_mpi.name.startswith("mpich-5") else 300
    done = overlapped(any_mpi, ranks, calls, 1, ["multicast", "multicast", "auto"], **options)
    assert cases(done) == CASES
    assert re.search(r"calls, [1-9]\d* of them repaired", done.err), done.err


@pytest.mark.parametrize("case", ["deaf-rank-while-started@multicast", "deaf-rank-while-started-later@auto"])
def test_a_rank_that_is_deaf_to_multicasts_under_way(any_mpi: Mpi, case: str):
    words = [any_mpi.program("runtime-faults"), case]
    done = any_mpi.run(4, *words, settings=CLUSTER, per_rank=[ON_OWN_HOST])
    assert done.out.count(": fine") == 4, done.out + done.err
    said = done.lines("trunkline: warning: multicast has stopped to reach rank 3 of a communicator of 4 ranks")
    assert len(said) == 1, done.err


def test_on_threads_too(any_mpi: Mpi):
    """Where two ranks share a host: memory takes the calls of a communicator in turn, whichever thread starts them."""
    words = ["two-tree:1448", "linear"]
    found = accelerated(overlapped(any_mpi, 4, 300, 3, words, settings=shared(2), per_rank=[ON_SHARED_HOST]))
    # MPICH lets nothing of ours go on where threads are at once in it.
    assert all((found[name] > 0) == (any_mpi.family == "openmpi") for name in ("bcast", "reduce", "allreduce"))


@pytest.mark.parametrize(("threads", "per_host"), [(1, 1), (1, 2), (2, 2)])
def test_by_a_thread_of_the_librarys(any_mpi: Mpi, threads: int, per_host: int):
    """Also under MPICH, which lets nothing of ours go on within its calls where threads are at once in it."""
    settings = shared(per_host) | {"TRUNKLINE_PROGRESS": "thread"}
    calls = 100 if any_mpi.name.startswith("mpich-5") else 400
    words = ["linear:1448", "two-tree:1000", "auto"]
    done = overlapped(any_mpi, 4, calls, threads, words, settings=settings, per_rank=[ON_SHARED_HOST])
    assert cases(done) == (CASES if threads == 1 else 0)
    found = accelerated(done)
    assert all(found[name] > 0 for name in ("bcast", "reduce", "allreduce"))


def test_a_thread_needs_a_program_that_has_asked_for_it(any_mpi: Mpi):
    settings = CLUSTER | {"TRUNKLINE_PROGRESS": "thread"}
    done = any_mpi.run(2, any_mpi.program("runtime-hello"), settings=settings, per_rank=[ON_OWN_HOST])
    said = done.lines("trunkline: warning: TRUNKLINE_PROGRESS=thread: no thread goes on with calls that do not block")
    assert len(said) == 1, done.err


def test_natively_too(mpi: Mpi):
    """The program holds without the library: what it asks for is MPI's contract, not ours."""
    overlapped(mpi, 3, 200, 1, ["auto"], preload=None)


def test_traces_and_receipts_have_them(any_mpi: Mpi, tmp_path: Path):
    told = {"TRUNKLINE_TRACE": str(tmp_path), "TRUNKLINE_SUMMARY": str(tmp_path / "receipt.json")}
    found = accelerated(overlapped(any_mpi, 4, 200, 1, ["linear:1448", "native"], settings=CLUSTER | told))
    groups = [one for one in analyse(find_job(str(tmp_path))).groups if not one.group.is_blocking]
    assert {one.group.name for one in groups} >= {"ibcast", "ireduce", "iallreduce", "ibarrier"}
    assert not any(one.group.is_native for one in groups)
    # In the call whose error a handler hears of, one rank's size is another than the others'.
    assert all(len(one.group.ranks) > 1 or one.group.name == "ibcast" for one in groups)
    # When a rank was next in MPI says nothing of the network.
    assert not any(one.trees or one.ways or one.critical for one in groups)
    rows = json.loads((tmp_path / "receipt.json").read_text())["calls"]
    ours = [row for row in rows if row.get("form") == "start" and row["algorithm"] != "native"]
    assert all(row["under_way_s"] > 0 and row["seconds"] == 0 for row in ours)
    # The program counts those of its batches alone, and not its cases.
    assert sum(row["calls"] for row in ours if row["collective"] == "bcast") >= found["bcast"]
    assert any(row.get("form") == "start" and row["algorithm"] == "native" for row in rows)


def test_receipts_say_why_threads_keep_them_native(any_mpi: Mpi, tmp_path: Path):
    settings = CLUSTER | {"TRUNKLINE_SUMMARY": str(tmp_path / "receipt.json")}
    overlapped(any_mpi, 2, 100, 2, ["linear"], settings=settings)
    rows = json.loads((tmp_path / "receipt.json").read_text())["calls"]
    why = {row.get("why", "") for row in rows if row.get("form") == "start" and row["algorithm"] == "native"}
    assert any("lets no calls of others go on" in one for one in why) == (any_mpi.family == "mpich")
