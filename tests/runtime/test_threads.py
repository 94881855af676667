"""Every algorithm for every collective that it serves, and random rounds, on up to 13 ranks that are threads.

The library's executors, datatypes and plans run over a transport between threads of one process: about a thousand calls
take seconds. TRUNKLINE_TEST_THREADS: how often each of them, with other lengths, elements and roots; once by default.
Random plans, 16 of each collective and number of ranks, and random trees, are the same under each MPI library: the
libraries share them, each from a seed of its own.
"""

import os

import pytest
from conftest import Mpi, share

TURNS = int(os.environ.get("TRUNKLINE_TEST_THREADS", "1"))


def test_two_roots_that_exchange(any_mpi: Mpi):
    """Random trees: the same bits on all ranks, and operands by rank."""
    any_mpi.run(1, any_mpi.program("runtime-exchanges"), *share(400 * TURNS, any_mpi), preload=None)


def test_results_have_the_same_bits_on_all_ranks(any_mpi: Mpi):
    """Whatever order an algorithm has: 0 and -0, NaNs, sums of unlike magnitude; each version's own operations."""
    any_mpi.run(1, any_mpi.program("runtime-bits"), str(TURNS), "11", preload=None)


def test_executors_between_threads(any_mpi: Mpi):
    words = (str(TURNS), *share(16 * TURNS, any_mpi))
    any_mpi.run(1, any_mpi.program("runtime-threads"), *words, preload=None, seconds=600)


@pytest.mark.parametrize("ranks", [1, 3])
def test_numbers_of_communicators(any_mpi: Mpi, ranks: int):
    any_mpi.run(ranks, any_mpi.program("runtime-numbers"), preload=None)
