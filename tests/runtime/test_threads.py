"""Every algorithm for every collective that it serves, and random rounds, on up to 13 ranks that are threads.

The library's executors, datatypes and plans run over a transport between threads of one process: about a thousand calls
take seconds. TRUNKLINE_TEST_THREADS: how often each of them, with other lengths, elements and roots; once by default,
and 16 random plans of each collective and number of ranks.
"""

import os

from conftest import Mpi

TURNS = int(os.environ.get("TRUNKLINE_TEST_THREADS", "1"))


def test_two_roots_that_exchange(any_mpi: Mpi):
    """Random trees: the same bits on all ranks, and operands by rank."""
    any_mpi.run(1, any_mpi.program("runtime-exchanges"), str(400 * TURNS), "1", preload=None)


def test_executors_between_threads(any_mpi: Mpi):
    any_mpi.run(1, any_mpi.program("runtime-threads"), str(TURNS), str(16 * TURNS), "1", preload=None)
