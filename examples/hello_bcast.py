# SPDX-License-Identifier: Apache-2.0
"""The same under Python: rank 0 broadcasts a vector with mpi4py, every rank checks what it got.

    trunkline lab run --cluster cyclic --mpi openmpi -n 32 --native -- python3 hello_bcast.py
    trunkline lab run --cluster cyclic --mpi openmpi -n 32 -- python3 hello_bcast.py

    trunkline run --cluster my-cluster.yaml -- mpiexec -n 32 python3 hello_bcast.py

An argument is the number of doubles. Both commands tell mpi4py which MPI library it is to load. Without them, where
several are installed, MPI4PY_MPIABI=openmpi or mpich does. mpi4py's wheels look for MPICH as libmpi.so.12, which Debian
calls libmpich.so.12; the build makes a libmpi.so.12 that stands for it, beside the preload library:
LD_LIBRARY_PATH=$(dirname $(trunkline library --mpi mpich))/mpich-abi.
"""

import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
count = int(sys.argv[1]) if len(sys.argv) > 1 else 131072  # 1 MiB
expected = 0.5 * np.arange(count) + 1.0
vector = expected.copy() if comm.rank == 0 else np.zeros(count)

comm.Barrier()
start = MPI.Wtime()
comm.Bcast(vector, root=0)
slowest = comm.reduce(MPI.Wtime() - start, MPI.MAX, root=0)

wrong = comm.allreduce(not np.array_equal(vector, expected), MPI.LOR)
if comm.rank == 0:
    verdict = "WRONG" if wrong else "right"
    print(f"hello from {comm.size} ranks: {count} doubles arrived {verdict} in {slowest * 1e3:.3f} ms")
sys.exit(wrong)
