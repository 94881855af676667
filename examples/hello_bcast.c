/* SPDX-License-Identifier: Apache-2.0
 * A plain MPI program: rank 0 broadcasts a vector of doubles, every rank checks what it got, rank 0 prints the time.
 * It knows nothing of Trunkline; run it on 32 emulated hosts, first as it is, then with Trunkline in front of
 * MPI_Bcast:
 *
 *     mpicc.openmpi -O2 -o hello_bcast hello_bcast.c
 *     trunkline lab run --cluster cyclic --mpi openmpi -n 32 --native -- ./hello_bcast
 *     trunkline lab run --cluster cyclic --mpi openmpi -n 32 -- ./hello_bcast
 *
 * An argument is the number of doubles: ./hello_bcast 1000000
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double expected(long i) { return 0.5 * (double)i + 1.0; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  const long count = argc > 1 ? atol(argv[1]) : 131072; /* 1 MiB */
  double* vector = malloc((size_t)count * sizeof *vector);
  for (long i = 0; i < count; ++i) vector[i] = rank == 0 ? expected(i) : 0.0;

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  MPI_Bcast(vector, (int)count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  const double mine = MPI_Wtime() - start;

  int wrong = 0;
  for (long i = 0; i < count; ++i) wrong += vector[i] != expected(i);
  int all_wrong = 0;
  double slowest = 0.0;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("hello from %d ranks: %ld doubles arrived %s in %.3f ms\n", ranks, count, all_wrong ? "WRONG" : "right",
           slowest * 1e3);
  }
  free(vector);
  MPI_Finalize();
  return wrong != 0;
}
