"""Reductions, on any number of ranks and every kind of tree, with segments small enough to be many."""

import pytest
from conftest import Mpi
from test_matrix import LINE

GROUPS = ["reductions", "operations"]


@pytest.mark.parametrize(
    ("ranks", "choices"),
    [
        (2, ["native", "linear:100", "unaware-linear:64", "binomial"]),
        (3, ["linear:64", "auto", "flat:100"]),
        (4, ["two-tree:100", "binary:1448"]),
        (7, ["two-tree:64", "3-ary:100"]),
    ],
)
def test_every_reduction(any_mpi: Mpi, ranks: int, choices: list[str]):
    any_mpi.suite(ranks, GROUPS, choices, settings=LINE)


@pytest.mark.parametrize(
    ("ranks", "choices"),
    [
        (2, ["ring:64", "unaware-recursive-doubling:100"]),
        (3, ["ring:100", "halving-doubling:64", "recursive-doubling"]),
        (4, ["unaware-ring:64", "unaware-halving-doubling:100"]),
        (7, ["ring:1000", "halving-doubling", "recursive-doubling:64"]),
    ],
)
def test_allreduce_by_rounds(any_mpi: Mpi, ranks: int, choices: list[str]):
    any_mpi.suite(ranks, GROUPS, choices, settings=LINE)


def test_many_ranks(any_mpi: Mpi):
    any_mpi.suite(13, ["reductions"], ["two-tree:1000", "ring:1000"], settings=LINE)


def test_trees_of_two_storeys(any_mpi: Mpi):
    any_mpi.suite(7, ["reductions"], ["hierarchical-3-nomial:100"], settings=LINE)


def test_what_has_no_reduction_is_native(mpi: Mpi):
    mpi.suite(3, GROUPS, ["circulant:100"], settings=LINE)


def test_natively_too(mpi: Mpi):
    """The cases hold without the library: what they ask for is MPI's contract, not ours."""
    done = mpi.run(3, mpi.program("runtime-test"), "--groups", ",".join(GROUPS), preload=None)
    assert " passed, 0 failed" in done.out


@pytest.mark.parametrize("choice", ["linear:100", "two-tree:100", "ring:100"])
def test_operations_that_throw(any_mpi: Mpi, choice: str):
    any_mpi.suite(3, ["throwing operations"], [choice], settings=LINE)
