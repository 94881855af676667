/* SPDX-License-Identifier: Apache-2.0
 * Gsum, the benchmark of "Evaluating the Performance of the Allreduce Collective Operation on Clusters" (Bongo, Anshus,
 * Bjorndalen): all ranks compute global sums, time and again, and rank 0 prints the time of one. Two communicators
 * alternate, as the paper's two trees do, so that a sum is not held up by the one before it.
 *
 *     mpicc.mpich -O2 -o gsum gsum.c
 *     trunkline plan compose --cluster 8w --ranks-per-host 8 --host-shape binary -o plan.yaml
 *     trunkline lab run --cluster 8w --ranks-per-host 8 --mpi mpich --native -- ./gsum
 *     TRUNKLINE_PLAN=plan.yaml trunkline lab run --cluster 8w --ranks-per-host 8 --mpi mpich -- ./gsum
 *
 * Arguments: how often both are called (the paper: 25000), and sizes in bytes, whole integers each: ./gsum 25000 4 256
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARM_UP = 10, MOST_SIZES = 16 };

static int rank, ranks;
static MPI_Comm tree[2];

static void alternate(const int* own, int* sum, int count, long iterations) {
  for (long i = 0; i < iterations; ++i) {
    MPI_Allreduce(own, sum, count, MPI_INT, MPI_SUM, tree[0]);
    MPI_Allreduce(own, sum, count, MPI_INT, MPI_SUM, tree[1]);
  }
}

/* Seconds of one allreduce; negative where a sum was wrong. */
static double gsum(int count, long iterations) {
  int* own = malloc(2 * (size_t)count * sizeof *own);
  int* sum = own + count;
  for (int k = 0; k < count; ++k) own[k] = rank + k;
  alternate(own, sum, count, WARM_UP);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  alternate(own, sum, count, iterations);
  double seconds = (MPI_Wtime() - start) / (2 * (double)iterations);
  for (int k = 0; k < count; ++k) {
    if (sum[k] != ranks * (ranks - 1) / 2 + ranks * k) seconds = -1.0;
  }
  free(own);
  return seconds;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int k = 0; k < 2; ++k) MPI_Comm_dup(MPI_COMM_WORLD, &tree[k]);

  const long iterations = argc > 1 ? atol(argv[1]) : 1000;
  int sizes[MOST_SIZES] = {4, 256};
  int size_count = argc > 2 ? 0 : 2;
  for (int k = 2; k < argc && size_count < MOST_SIZES; ++k) sizes[size_count++] = atoi(argv[k]);

  int wrong = 0;
  for (int k = 0; k < size_count; ++k) {
    const double mine = gsum(sizes[k] / (int)sizeof(int), iterations);
    double fastest = 0.0;
    double slowest = 0.0;
    MPI_Allreduce(&mine, &fastest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    wrong |= fastest < 0;
    if (rank == 0) {
      printf("gsum: %d ranks, %d bytes: %.3f us an allreduce, sums %s\n", ranks, sizes[k], slowest * 1e6,
             fastest < 0 ? "WRONG" : "right");
      fflush(stdout);
    }
  }
  for (int k = 0; k < 2; ++k) MPI_Comm_free(&tree[k]);
  MPI_Finalize();
  return wrong;
}
