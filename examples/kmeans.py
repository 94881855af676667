# SPDX-License-Identifier: Apache-2.0
"""Groups points into clusters on all ranks with mpi4py: two collectives a step, and no message between two ranks.

    trunkline lab run --cluster cyclic --mpi mpich -n 8 -- python3 kmeans.py
    trunkline run --cluster my-cluster.yaml -- mpiexec -n 32 python3 kmeans.py

Each rank has points of its own, around the same eight places. Rank 0 guesses the centres and broadcasts them. In each
step every rank sums its points by their nearest centre, an allreduce adds the sums up, and all ranks move the centres
alike. Arguments are points a rank and dimensions: with 16384 dimensions an allreduce is of 1 MiB.
"""

import sys

import numpy as np
from mpi4py import MPI

CENTRES = 8
STEPS = 20

comm = MPI.COMM_WORLD
points_of_rank, dimensions = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (1000, 64)

places = np.random.default_rng(1).normal(size=(CENTRES, dimensions)) * 10.0  # the same on every rank
random = np.random.default_rng(100 + comm.rank)
points = places[np.arange(points_of_rank) % CENTRES] + random.normal(size=(points_of_rank, dimensions))

# A guess that has a bit of each place, in one vector with room for how many points each centre has.
centres = np.empty((CENTRES, dimensions))
if comm.rank == 0:
    centres[:] = points[:CENTRES]
comm.Bcast(centres, root=0)

start = MPI.Wtime()
for _ in range(STEPS):
    distances = (points**2).sum(1)[:, None] - 2.0 * points @ centres.T + (centres**2).sum(1)
    nearest = distances.argmin(1)
    sums = np.zeros((CENTRES, dimensions + 1))
    np.add.at(sums[:, :-1], nearest, points)
    sums[:, -1] = np.bincount(nearest, minlength=CENTRES)
    comm.Allreduce(MPI.IN_PLACE, sums)
    centres = sums[:, :-1] / np.maximum(sums[:, -1:], 1.0)
seconds = comm.allreduce(MPI.Wtime() - start, MPI.MAX)

off = np.abs(centres - places).max()
bound = 6.0 / np.sqrt(comm.size * points_of_rank // CENTRES)  # of means of so many points
if comm.rank == 0:
    verdict = "right" if off < bound else "WRONG"
    print(f"{comm.size * points_of_rank} points on {comm.size} ranks: centres {verdict} after {seconds:.3f} s")
sys.exit(int(off >= bound))
