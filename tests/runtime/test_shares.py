"""Barriers, and collectives by shares, on any number of ranks, with segments small enough to be many."""

import pytest
from conftest import ONE_VERSION, Mpi
from test_matrix import LINE

GROUPS = ["shares"]


@pytest.mark.parametrize(
    ("ranks", "choices"),
    [
        pytest.param(2, ["native", "ring:64", "unaware-ring:1000", "linear"], marks=ONE_VERSION),
        (3, ["ring:100", "auto", "binary", "by-sites-linear:100"]),
        pytest.param(4, ["unaware-ring:64", "two-tree"], marks=ONE_VERSION),
        (7, ["ring:1000", "lane-ring:100", "lane-direct:1000", "ring:16384", "binomial", "by-sites-3-ary:1000"]),
    ],
)
def test_every_share(any_mpi: Mpi, ranks: int, choices: list[str]):
    any_mpi.suite(ranks, GROUPS, choices, settings=LINE)


@ONE_VERSION
def test_many_ranks(any_mpi: Mpi):
    any_mpi.suite(13, GROUPS, ["ring:1000"], settings=LINE)


def test_natively_too(mpi: Mpi):
    """The cases hold without the library: what they ask for is MPI's contract, not ours."""
    done = mpi.run(3, mpi.program("runtime-test"), "--groups", ",".join(GROUPS), preload=None)
    assert " passed, 0 failed" in done.out
