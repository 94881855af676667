"""The matrix multiplication of papers/programs: right under every library, on any number of ranks; it sees a fault."""

import re

import pytest
from conftest import BUILD, ON_OWN_HOST, Mpi, blas_program

SAID = re.compile(
    r"matmul: (\d+) ranks, order (\d+): ([0-9.]+) s, ([0-9.]+) s of them in MPI_Bcast on the slowest rank, "
    r"[0-9.]+ GFLOP/s, (.*)\n"
)


def program(mpi: Mpi):
    return blas_program("matmul", mpi)


def multiplied(mpi: Mpi, ranks: int, *words: str, **options: object) -> str:
    """What it says of the product."""
    said = SAID.fullmatch(mpi.run(ranks, program(mpi), *words, **options).out)
    assert said, words
    assert int(said[1]) == ranks
    assert 0 <= float(said[4]) <= float(said[3])
    return said[5]


def test_orders_that_are_multiples_and_others(mpi: Mpi):
    """With fewer rows than ranks some have none. All of them in one job, each on some of its ranks."""
    program(mpi)
    cases = [(ranks, order) for ranks in (1, 3, 4) for order in (2, 5, 12, 131) for _ in ("one step", "three steps")]
    words = [f"{ranks}:{order}{':3' * (turn % 2)}" for turn, (ranks, order) in enumerate(cases)]
    out = mpi.run(4, BUILD / "papers" / f"papers-matmul-{mpi.name}", *words, preload=None, status=None).out
    said = [(int(found[1]), int(found[2]), found[5]) for found in SAID.finditer(out)]
    assert said == [(*case, "product right") for case in cases], out


@pytest.mark.parametrize("choice", ["native", "linear", "two-tree", "auto"])
def test_under_every_library(any_mpi: Mpi, choice: str):
    settings = {"TRUNKLINE_CLUSTER": "paper-1", "TRUNKLINE_BCAST": choice, "TRUNKLINE_STRICT": "1"}
    words = ("--order", "203", "--check")
    assert multiplied(any_mpi, 4, *words, settings=settings, per_rank=[ON_OWN_HOST]) == "product right"


def test_a_wrong_byte_is_seen(mpi: Mpi):
    """In the columns of B that arrive at a rank, and so in a column of its rows of C."""
    spoiling = BUILD / "tests" / "runtime" / f"libruntime-wrong-results-{mpi.name}.so"
    settings = {"SPOILT": "RESULT:2:6", "TRUNKLINE_DISABLE": "1"}  # of the first element, its sign and exponent
    words = ("--order", "64", "--check")
    done = mpi.run(
        3, program(mpi), *words, preload=f"{mpi.library}:{spoiling}", settings=settings, status=None, seconds=60
    )
    assert done.status != 0
    assert "product WRONG" in done.out
    assert re.search(r"^matmul: \d+ of 4096 elements are wrong$", done.out, re.MULTILINE)


def test_pretending_takes_as_long_as_multiplying_would(mpi: Mpi):
    """2 * 100^3 operations on two ranks at 0.01 GFLOP/s each: 0.1 s."""
    done = mpi.run(2, program(mpi), "--order", "100", "--pretend", "0.01")
    said = SAID.fullmatch(done.out)
    assert said
    assert float(said[3]) >= 0.1
    assert said[5] == "nothing multiplied"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--order", "12x"], "--order needs a whole number above zero, not '12x'"),
        (["--order", "0"], "--order needs a whole number above zero, not '0'"),
        (["--steps"], "--steps needs a whole number above zero, not ''"),
        (["--pretend", "fast"], "--pretend needs GFLOP/s above zero, not 'fast'"),
        (["--pretend", "0.5", "--check"], "--check needs a product, and --pretend makes none: leave one of them out"),
        (["3200"], "there is no argument '3200'"),
        (["--order", "70000"], "a block of order 70000 on 2 ranks has more elements than MPI counts: take more ranks"),
    ],
)
def test_wrong_arguments(mpi: Mpi, words: list[str], why: str):
    done = mpi.run(2, program(mpi), *words, status=None)
    assert done.status == 2
    assert done.out == ""
    assert done.lines("matmul: ") == [f"matmul: {why}"]
    assert done.lines("usage: matmul ")
