"""The timing program times every collective natively, and sees a wrong byte of any."""

import json

import pytest
from conftest import BUILD, Mpi, Outcome

from trunkline import _core

RANKS = 4
SIZES = {
    "bcast": "1,1003,8192",
    "reduce": "8,1032,8192",
    "allreduce": "8,1032,8192",
    "barrier": "0",
    "reduce-scatter": "8,1032,8216",  # of which some ranks get nothing, or more than others
    "reduce-scatter-block": "32,8192",
    "allgather": "4,8192",
    "allgatherv": "3,1003,8192",
    "alltoall": "1,1003,8192",
    "gather": "4,8192",
    "scatter": "4,8192",
    "scan": "8,8192",
    "exscan": "8,8192",
    "alltoallv": "1,1003,8192",
}
ROOTED = ("bcast", "reduce", "gather", "scatter")


def test_every_collective_that_trunkline_runs_is_among_them():
    assert set(_core.collectives()) <= set(SIZES)


def timed(mpi: Mpi, collective: str, sizes: str, *more: str, **options: object) -> Outcome:
    program = BUILD / "bench" / f"trunkline-bench-{mpi.name}"
    words = ["--collective", collective, "--sizes", sizes, "--algorithms", "native", "--least", "3", "--most", "3"]
    return mpi.run(RANKS, program, *words, *more, **({"preload": None} | options))


def spoilt(mpi: Mpi, collective: str, what: str, size: int = 8192, **options: object) -> str:
    """What the program says of wrong results."""
    library = BUILD / "tests" / "runtime" / f"libruntime-wrong-results-{mpi.name}.so"
    ended = timed(mpi, collective, str(size), preload=library, settings={"SPOILT": what}, status=None, **options)
    assert ended.status != 0
    return "\n".join(ended.lines("trunkline-bench: "))


@pytest.mark.parametrize("collective", SIZES)
def test_every_collective(any_mpi: Mpi, collective: str):
    root = ("--root", "2") if collective in ROOTED else ()
    names = ["native", "native/start", "native/overlap", "native/row3"]
    # Open MPI 4 has none; a root of MPICH 4's gathers sends itself what lay there when the call was made.
    names += ["native/persistent"] if any_mpi.name not in ("openmpi", "mpich") else []
    words = (*root, "--algorithms", ",".join(names), "--tests-every", "0.001")
    rows = [json.loads(line) for line in timed(any_mpi, collective, SIZES[collective], *words).out.splitlines()]
    assert rows[0]["ranks"] == RANKS
    counted = [(row["message_bytes"], row["algorithm"], row["ran"]) for row in rows[1:] if not row["warm_up"]]
    for size in map(int, SIZES[collective].split(",")):
        assert all(counted.count((size, name, "native")) == 3 for name in names)
        assert counted.count((size, "ping-pong", "ping-pong")) == 3
    assert all(row["seconds"] > 0 for row in rows[1:])
    works = [row for row in rows[1:] if row["work_seconds"] > 0]
    assert all("overlap" in row["algorithm"] for row in works)
    assert all(row in works for row in rows[1:] if "overlap" in row["algorithm"] and not row["warm_up"])
    assert all(row["seconds"] >= row["work_seconds"] for row in rows[1:])


FOUND = {
    ("bcast", "RESULT:2:1234"): "rank 2: wrong byte at 1234 of 8192",
    ("reduce", "RESULT:0:1234"): "rank 0: wrong byte at 1234 of 8192",
    ("reduce", "INPUT:3:1232"): "rank 0: wrong byte at 1232 of 8192",
    ("allreduce", "RESULT:1:8191"): "rank 1: wrong byte at 8191 of 8192",
    ("reduce-scatter", "RESULT:2:100"): f"rank 2: wrong byte at {4096 + 100} of 8192",
    ("reduce-scatter-block", "RESULT:3:0"): f"rank 3: wrong byte at {3 * 2048} of 8192",
    ("allgather", "RESULT:0:5000"): "rank 0: wrong byte at 5000 of 8192",
    ("allgatherv", "RESULT:3:5000"): "rank 3: wrong byte at 5000 of 8192",
}


@pytest.mark.parametrize(("collective", "what"), FOUND)
def test_a_wrong_byte_is_told(mpi: Mpi, collective: str, what: str):
    assert f"{FOUND[collective, what]} under native" in spoilt(mpi, collective, what)


@pytest.mark.parametrize(("collective", "at"), [("allreduce", 1232), ("allgather", 2 * 2048 + 1232)])
def test_what_one_rank_puts_in_is_seen_by_all(mpi: Mpi, collective: str, at: int):
    said = spoilt(mpi, collective, "INPUT:2:1232")
    assert f": wrong byte at {at} of 8192 under native" in said


def test_a_barrier_that_does_not_wait_is_told(mpi: Mpi):
    assert "before the last rank came, under native" in spoilt(mpi, "barrier", "", size=0)


REFUSED = {
    ("bcats", "8"): "no such collective; there are: bcast, reduce, allreduce, barrier,",
    ("reduce", "1003"): "--sizes must be multiples of 8 bytes with 4 ranks",
    ("reduce-scatter-block", "8200"): "--sizes must be multiples of 32 bytes with 4 ranks",
    ("allgather", "8190"): "--sizes must be multiples of 4 bytes with 4 ranks",
    ("barrier", "8"): "--sizes must be 0 for barrier",
}


@pytest.mark.parametrize(("collective", "size"), REFUSED)
def test_what_cannot_be_timed(mpi: Mpi, collective: str, size: str):
    ended = timed(mpi, collective, size, status=None)
    assert ended.status != 0
    assert REFUSED[collective, size] in ended.err
