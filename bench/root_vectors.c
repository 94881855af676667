/* SPDX-License-Identifier: Apache-2.0
 * MPI_Gatherv and MPI_Scatterv, which are the MPI library's own.
 *
 *     mpiexec -n 32 trunkline-root-vectors-MPI BYTES...
 *
 * For each number: shares of that length, and one share as long as all of these together beside empty ones. Prints one
 * JSON object for each, milliseconds of the slowest rank: the median, the least and the most of CALLS calls.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "median.h"

enum { CALLS = 9 };

struct shares {
  int* bytes;
  int* starts;
  char* all;
  char* own;
};

static double call_ms(const struct shares* shares, int gathers, int rank) {
  MPI_Barrier(MPI_COMM_WORLD);
  double ms = MPI_Wtime();
  if (gathers) {
    MPI_Gatherv(shares->own, shares->bytes[rank], MPI_BYTE, shares->all, shares->bytes, shares->starts, MPI_BYTE, 0,
                MPI_COMM_WORLD);
  } else {
    MPI_Scatterv(shares->all, shares->bytes, shares->starts, MPI_BYTE, shares->own, shares->bytes[rank], MPI_BYTE, 0,
                 MPI_COMM_WORLD);
  }
  ms = (MPI_Wtime() - ms) * 1e3;
  MPI_Allreduce(MPI_IN_PLACE, &ms, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return ms;
}

static void time_calls(const struct shares* shares, int gathers, int rank, int ranks, int bytes, int one_alone) {
  double ms[CALLS];
  call_ms(shares, gathers, rank);
  for (int call = 0; call < CALLS; ++call) ms[call] = call_ms(shares, gathers, rank);
  const double middle = median_of(ms, CALLS); /* sorts them */
  if (rank != 0) return;
  printf("{\"call\": \"%s\", \"ranks\": %d, \"share_bytes\": %d, \"one_alone\": %s, \"ms\": [%.1f, %.1f, %.1f]}\n",
         gathers ? "MPI_Gatherv" : "MPI_Scatterv", ranks, bytes, one_alone ? "true" : "false", middle, ms[0],
         ms[CALLS - 1]);
  fflush(stdout);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  struct shares shares = {.bytes = malloc((size_t)ranks * sizeof(int)), .starts = malloc((size_t)ranks * sizeof(int))};
  for (int word = 1; word < argc; ++word) {
    const int bytes = atoi(argv[word]);
    shares.all = calloc((size_t)ranks, (size_t)bytes + 1);
    shares.own = calloc((size_t)ranks, (size_t)bytes + 1);
    if (!shares.bytes || !shares.starts || !shares.all || !shares.own) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int one_alone = 0; one_alone < 2; ++one_alone) {
      for (int other = 0; other < ranks; ++other) {
        shares.bytes[other] = !one_alone ? bytes : other == ranks - 1 ? bytes * ranks : 0;
        shares.starts[other] = !one_alone ? bytes * other : 0;
      }
      for (int gathers = 1; gathers >= 0; --gathers) time_calls(&shares, gathers, rank, ranks, bytes, one_alone);
    }
    free(shares.all);
    free(shares.own);
  }
  free(shares.bytes);
  free(shares.starts);
  MPI_Finalize();
  return 0;
}
