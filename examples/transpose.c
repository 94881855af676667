/* SPDX-License-Identifier: Apache-2.0
 * A matrix that is spread over all ranks by rows is transposed again and again, as a multidimensional Fourier transform
 * does it: by one MPI_Alltoall a step.
 *
 *   mpicc -O2 -o transpose examples/transpose.c
 *   trunkline lab run --cluster cyclic --mpi mpich -n 32 -- ./transpose --check
 *
 * transpose [ROWS [STEPS]] [--check]: ROWS of each rank, 8 by default, 10 steps. A pair of ranks exchanges ROWS x ROWS
 * numbers of 8 bytes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands at the beginning in a row and a column of the whole matrix. */
static double value(long row, long column) { return (double)(row * 7919 + column); }

static void copy_block(double* to, const double* from, int rows, long to_step, long from_step, int turned) {
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < rows; ++k) to[i * to_step + k] = turned ? from[k * from_step + i] : from[i * from_step + k];
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int numbers[2] = {8, 10}, given = 0, check = 0;
  for (int k = 1; k < argc; ++k) {
    if (strcmp(argv[k], "--check") == 0) {
      check = 1;
    } else if (given < 2 && atoi(argv[k]) > 0) {
      numbers[given++] = atoi(argv[k]);
    } else {
      if (rank == 0) fprintf(stderr, "usage: transpose [ROWS [STEPS]] [--check]\n");
      MPI_Finalize();
      return 2;
    }
  }
  const int rows = numbers[0], steps = numbers[1], block = rows * rows;
  const long columns = (long)rows * ranks;
  double* const matrix = malloc((size_t)(rows * columns) * sizeof(double));
  double* const sent = malloc((size_t)(rows * columns) * sizeof(double));
  double* const received = malloc((size_t)(rows * columns) * sizeof(double));
  if (!matrix || !sent || !received) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < rows; ++i) {
    for (long k = 0; k < columns; ++k) matrix[i * columns + k] = value((long)rank * rows + i, k);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    for (int to = 0; to < ranks; ++to) copy_block(sent + to * block, matrix + to * rows, rows, rows, columns, 1);
    MPI_Alltoall(sent, block, MPI_DOUBLE, received, block, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int from = 0; from < ranks; ++from) {
      copy_block(matrix + from * rows, received + from * block, rows, columns, rows, 0);
    }
  }
  double seconds = MPI_Wtime() - start, slowest = 0.0;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  long wrong = 0, all = 0;
  for (int i = 0; check && i < rows; ++i) {
    for (long k = 0; k < columns; ++k) {
      const long row = (long)rank * rows + i;
      if (matrix[i * columns + k] != (steps % 2 ? value(k, row) : value(row, k))) ++wrong;
    }
  }
  MPI_Reduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d ranks, %d bytes a pair: %.2f ms a step", ranks, block * (int)sizeof(double), 1000.0 * slowest / steps);
    printf(check ? ", %ld wrong numbers\n" : "\n", all);
  }
  free(matrix);
  free(sent);
  free(received);
  MPI_Finalize();
  return all ? 1 : 0;
}
