// SPDX-License-Identifier: Apache-2.0
// Collectives among ranks of one host, for bench/one_host.py: MOST SIZE... Data are changed before each call, so that
// no cache of the receiver has them. Prints, for each size, the median over all calls of the slowest rank, in
// microseconds. Of each there are MOST calls, of long ones fewer.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { collectives = 5, largest = 16 << 20 };

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static int at_most(int value, int most) { return value < most ? value : most; }

static void call(int which, char* data, char* result, int bytes, int ranks) {
  const int doubles = bytes / (int)sizeof(double);
  switch (which) {
    case 0:
      MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
      break;
    case 1:
      MPI_Reduce(data, result, doubles, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
      break;
    case 2:
      MPI_Allreduce(data, result, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      break;
    case 3:
      MPI_Allgather(data, bytes / ranks, MPI_BYTE, result, bytes / ranks, MPI_BYTE, MPI_COMM_WORLD);
      break;
    default:
      MPI_Reduce_scatter_block(data, result, doubles / ranks, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* const data = malloc(largest);
  char* const result = malloc(largest);
  if (data == NULL || result == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(data, 1, largest);
  memset(result, 2, largest);
  const int most = argc > 1 ? atoi(argv[1]) : 0;
  for (int at = 2; at < argc; ++at) {
    const int bytes = atoi(argv[at]);
    if (most < 1 || bytes < 1 || bytes > largest) MPI_Abort(MPI_COMM_WORLD, 2);
    int calls = most;
    if (bytes >= 65536) calls = at_most(calls, 151);
    if (bytes >= 1 << 20) calls = at_most(calls, 31);
    if (bytes >= 4 << 20) calls = at_most(calls, 11);
    double* const mine = malloc((size_t)calls * sizeof(double));
    double* const slowest = malloc((size_t)calls * sizeof(double));
    if (mine == NULL || slowest == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0) printf("%d", bytes);
    for (int which = 0; which < collectives; ++which) {
      for (int i = 0; i < calls; ++i) {
        memset(data, i, (size_t)bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        const double began = MPI_Wtime();
        call(which, data, result, bytes, ranks);
        mine[i] = MPI_Wtime() - began;
      }
      MPI_Reduce(mine, slowest, calls, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
      qsort(slowest, (size_t)calls, sizeof(double), ascending);
      if (rank == 0) printf(" %.2f", slowest[calls / 2] * 1e6);
    }
    if (rank == 0) printf("\n");
    free(mine);
    free(slowest);
  }
  free(data);
  free(result);
  MPI_Finalize();
  return 0;
}
