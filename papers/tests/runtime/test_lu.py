"""The factorisation of papers/programs: right under every library and plan, for any blocks; it sees a fault."""

import re

import pytest
from conftest import BUILD, ON_OWN_HOST, Mpi, blas_program

SAID = re.compile(
    r"lu: (\d+) ranks, order (\d+): ([0-9.]+) s, ([0-9.]+) s of them in MPI_Bcast on the slowest rank, (.*)"
)


def program(mpi: Mpi):
    return blas_program("lu", mpi)


@pytest.mark.parametrize(
    ("ranks", "order", "block"), [(1, 50, 8), (3, 1, 64), (3, 64, 64), (4, 203, 16), (4, 203, 101), (5, 30, 1)]
)
def test_orders_and_blocks(mpi: Mpi, ranks: int, order: int, block: int):
    """Some ranks have no block, or the last one is narrower."""
    done = mpi.run(ranks, program(mpi), "--order", str(order), "--block", str(block), "--check", preload=None)
    said = SAID.match(done.out)
    assert said, done.out
    assert (int(said[1]), int(said[2]), said[5]) == (ranks, order, "factors right")
    assert 0 <= float(said[4]) <= float(said[3])


@pytest.mark.parametrize("choice", ["native", "linear", "multicast", "auto"])
def test_under_every_library(any_mpi: Mpi, choice: str):
    settings = {"TRUNKLINE_CLUSTER": "paper-1", "TRUNKLINE_BCAST": choice, "TRUNKLINE_STRICT": "1"}
    words = ("--order", "203", "--block", "16", "--check")
    done = any_mpi.run(4, program(any_mpi), *words, settings=settings, per_rank=[ON_OWN_HOST])
    assert "factors right" in done.out


def test_a_wrong_byte_is_seen(mpi: Mpi):
    """Of a block that arrives at a rank, whose columns behind it are wrong then."""
    spoiling = BUILD / "tests" / "runtime" / f"libruntime-wrong-results-{mpi.name}.so"
    settings = {"SPOILT": "RESULT:2:14", "TRUNKLINE_DISABLE": "1"}  # of an element of L
    words = ("--order", "64", "--block", "8", "--check")
    done = mpi.run(
        3, program(mpi), *words, preload=f"{mpi.library}:{spoiling}", settings=settings, status=None, seconds=60
    )
    assert done.status != 0
    assert "factors WRONG" in done.out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--order", "12x"], "--order needs a whole number from 1 to 40000, not '12x'"),
        (["--block"], "--block needs a whole number from 1 to 40000, not ''"),
        (["2000"], "there is no argument '2000'"),
    ],
)
def test_wrong_arguments(mpi: Mpi, words: list[str], why: str):
    done = mpi.run(2, program(mpi), *words, status=None)
    assert done.status == 2
    assert done.lines("lu: ") == [f"lu: {why}"]
