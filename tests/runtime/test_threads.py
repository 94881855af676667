"""Every algorithm for every collective that it serves, and random rounds, on up to 13 ranks that are threads.

The library's executors and plans run over a transport between threads of one process: about a thousand calls take
seconds. TRUNKLINE_TEST_THREADS: how often each of them, with other lengths, datatypes and roots; once by default.
"""

import os

from conftest import Mpi

TURNS = os.environ.get("TRUNKLINE_TEST_THREADS", "1")


def test_executors_between_threads(any_mpi: Mpi):
    any_mpi.run(1, any_mpi.program("runtime-threads"), TURNS, "1", preload=None)
