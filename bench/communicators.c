/* SPDX-License-Identifier: Apache-2.0
 * What communicators cost that broadcast once: split, one broadcast, free; MPI_Bcast, which the preload library takes,
 * beside PMPI_Bcast, which goes past it.
 *
 *     mpiexec -n 4 env LD_PRELOAD=... TRUNKLINE_CLUSTER=cyclic trunkline-communicators-MPI [BYTES [TURNS]]
 *
 * `tools/beside_native.py communicators` does so under every MPI library, and prints a table.
 *
 * Prints one JSON object: medians in microseconds of the slowest rank, by turns, and their ratio.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "median.h"

enum { MOST_TURNS = 2000, WARM_UP = 20 };

typedef int bcast(void*, int, MPI_Datatype, int, MPI_Comm);

static double once_us(bcast* run, char* data, int bytes, int rank, int turn) {
  MPI_Comm part;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  MPI_Comm_split(MPI_COMM_WORLD, 0, turn % 2 == 0 ? rank : -rank, &part);
  run(data, bytes, MPI_BYTE, 0, part);
  MPI_Comm_free(&part);
  double us = (MPI_Wtime() - start) * 1e6;
  MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return us;
}

int main(int argc, char** argv) {
  static double ours[MOST_TURNS], native[MOST_TURNS];
  MPI_Init(&argc, &argv);
  const int bytes = argc > 1 ? atoi(argv[1]) : 20000;
  int turns = argc > 2 ? atoi(argv[2]) : 500;
  if (turns > MOST_TURNS) turns = MOST_TURNS;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* data = calloc((size_t)bytes, 1);
  for (int turn = -WARM_UP; turn < turns; ++turn) {
    const double one = once_us(MPI_Bcast, data, bytes, rank, turn);
    const double other = once_us(PMPI_Bcast, data, bytes, rank, turn);
    if (turn < 0) continue;
    ours[turn] = one;
    native[turn] = other;
  }
  const double median = median_of(ours, turns);
  const double beside = median_of(native, turns);
  if (rank == 0)
    printf("{\"bytes\": %d, \"ours_us\": %.1f, \"native_us\": %.1f, \"ratio\": %.2f}\n", bytes, median, beside,
           median / beside);
  free(data);
  MPI_Finalize();
  return 0;
}
