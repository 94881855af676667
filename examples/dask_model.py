# SPDX-License-Identifier: Apache-2.0
"""A large array on all workers of a Dask cluster: by Dask's own replicate, and by an MPI_Bcast among the workers.

    trunkline lab run --cluster cyclic --mpi mpich -n 8 -- python3 dask_model.py
    trunkline run --cluster my-cluster.yaml -- mpiexec -n 34 python3 dask_model.py

dask-mpi makes the ranks of an MPI job a Dask cluster: rank 0 is the scheduler, rank 1 this program, all others are
workers. Dask moves data over sockets of its own, from one worker to the next. Workers are ranks, too: what each of them
calls by client.run() may be a collective, which Trunkline lays over the switches. An argument is the number of doubles.
"""

import logging
import sys
import time

import numpy as np
from dask.distributed import Client, wait
from dask_mpi import initialize
from mpi4py import MPI

FIRST_WORKER = 2
WORKERS = MPI.COMM_WORLD.Split(0 if MPI.COMM_WORLD.rank >= FIRST_WORKER else MPI.UNDEFINED, MPI.COMM_WORLD.rank)
"""Their communicator; each worker's process has its own end of it."""
held: dict[str, np.ndarray] = {}
"""In each worker: the arrays that came by MPI."""
logging.getLogger("distributed").setLevel(logging.CRITICAL)  # workers tell at length how they end


def make(count: int) -> np.ndarray:
    """On the first worker, where the array is read or computed."""
    return 0.5 * np.arange(count) + 1.0


def receive(name: str, count: int) -> None:
    """On every worker at the same time."""
    import __main__  # the worker's own, where this file was run

    workers = __main__.WORKERS
    array = make(count) if workers.rank == 0 else np.empty(count)
    workers.Bcast(array)
    __main__.held[name] = array


def last_value(name: str) -> float:
    """What one worker has."""
    import __main__

    return float(__main__.held[name][-1])


if __name__ == "__main__":
    initialize(nthreads=1, dashboard=False)  # scheduler and workers never come back from here
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 131072  # 1 MiB
    with Client() as client:
        workers = MPI.COMM_WORLD.size - FIRST_WORKER
        client.wait_for_workers(workers)
        addresses = list(client.scheduler_info(n_workers=-1)["workers"])

        first = client.submit(make, count, workers=addresses[0])
        wait(first)
        start = time.perf_counter()
        client.replicate(first)
        by_dask = time.perf_counter() - start

        start = time.perf_counter()
        client.run(receive, "model", count)
        by_mpi = time.perf_counter() - start
        values = set(client.run(last_value, "model").values())
        assert values == {0.5 * (count - 1) + 1.0}, values
        print(f"{count} doubles on {workers} workers: by Dask {by_dask:.3f} s, by MPI {by_mpi:.3f} s")
