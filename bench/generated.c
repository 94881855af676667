/* SPDX-License-Identifier: Apache-2.0
 * A generated routine against the preload library with the same plan, in turns, in one job. On the lab:
 *
 *     trunkline plan --cluster cyclic --algorithms linear --segment 2856 -o - | grep -v ^cluster > plan.yaml
 *     trunkline generate plan.yaml -o my_bcast.c
 *     mpicc.mpich -O2 -o generated bench/generated.c my_bcast.c
 *     TRUNKLINE_PLAN=plan.yaml trunkline lab run --cluster cyclic --mpi mpich -n 32 -- ./generated ROOT [REPETITIONS]
 *
 * (Without its cluster the plan fits a lab of any rate.) ROOT is the plan's. Prints one JSON object for each size:
 * medians over the repetitions of the slowest rank's time after a barrier, in seconds, and what the preload library
 * ran.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <string.h>
#include "median.h"

int trunkline_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);

typedef int Bcast(void*, int, MPI_Datatype, int, MPI_Comm);

/* Seconds of the slowest rank; every byte is checked. */
static double timed(Bcast* bcast, unsigned char* data, int bytes, int root, int turn) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(data, rank == root ? turn : ~turn, (size_t)bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  bcast(data, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
  double seconds = MPI_Wtime() - start;
  for (int i = 0; i < bytes; ++i) {
    if (data[i] == (unsigned char)turn) continue;
    fprintf(stderr, "rank %d: byte %d is wrong\n", rank, i);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int root = argc > 1 ? atoi(argv[1]) : 0;
  const int repetitions = argc > 2 ? atoi(argv[2]) : 21;
  const int sizes[] = {8 << 10, 64 << 10, 256 << 10, 1 << 20};
  unsigned char* data = malloc(1 << 20);
  double* generated = malloc((size_t)repetitions * sizeof *generated);
  double* preloaded = malloc((size_t)repetitions * sizeof *preloaded);
  const char* (*last)(const char*) = (const char* (*)(const char*))dlsym(RTLD_DEFAULT, "trunkline_last");
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    for (int turn = -2; turn < repetitions; ++turn) { /* two warm connections up */
      const int at = turn < 0 ? 0 : turn;
      generated[at] = timed(trunkline_bcast, data, sizes[i], root, 2 * turn + 8);
      preloaded[at] = timed(MPI_Bcast, data, sizes[i], root, 2 * turn + 9);
    }
    const double generated_s = median_of(generated, repetitions);
    const double preloaded_s = median_of(preloaded, repetitions);
    if (rank == 0) {
      printf(
          "{\"message_bytes\": %d, \"generated_s\": %.6f, \"preloaded_s\": %.6f, \"ratio\": %.3f, \"preloaded_ran\": "
          "\"%s\"}\n",
          sizes[i], generated_s, preloaded_s, generated_s / preloaded_s, last ? last("bcast") : "not there");
    }
  }
  free(preloaded);
  free(generated);
  free(data);
  MPI_Finalize();
  return 0;
}
