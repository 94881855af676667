/* SPDX-License-Identifier: Apache-2.0
 * Fourier transforms of a square of complex numbers, spread over all ranks by rows: there and back, each with two
 * MPI_Alltoall. It tells the seconds of the program, and which part of them goes in MPI_Alltoall.
 *
 *   mpicc -O2 -o fourier examples/fourier.c -lm
 *   trunkline lab run --cluster cyclic --mpi mpich -n 32 -- ./fourier 32
 *
 * fourier [ROWS [STEPS]]: ROWS of each rank, 8 by default, 4 steps; ROWS and the number of ranks are powers of two. A
 * pair of ranks exchanges ROWS x ROWS numbers of 16 bytes. The exit status is 1 where the numbers do not come back. */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, rows;
static long columns;
static double complex *square, *sent, *received;
static double in_alltoall;

/* Cooley and Tukey's, in place. */
static void transform_row(double complex* row, const double complex* roots, int back) {
  for (long i = 1, k = 0; i < columns; ++i) {
    long bit = columns / 2;
    for (; k & bit; bit /= 2) k ^= bit;
    k ^= bit;
    if (i < k) {
      const double complex kept = row[i];
      row[i] = row[k];
      row[k] = kept;
    }
  }
  for (long half = 1; half < columns; half *= 2) {
    for (long begin = 0; begin < columns; begin += 2 * half) {
      for (long i = 0; i < half; ++i) {
        const double complex root = roots[i * (columns / half / 2)];
        const double complex odd = row[begin + half + i] * (back ? conj(root) : root);
        row[begin + half + i] = row[begin + i] - odd;
        row[begin + i] += odd;
      }
    }
  }
}

static void transpose(void) {
  const int block = rows * rows;
  for (int to = 0; to < ranks; ++to) {
    for (int i = 0; i < rows; ++i) {
      for (int k = 0; k < rows; ++k) sent[to * block + i * rows + k] = square[k * columns + to * rows + i];
    }
  }
  const double start = MPI_Wtime();
  MPI_Alltoall(sent, block, MPI_C_DOUBLE_COMPLEX, received, block, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
  in_alltoall += MPI_Wtime() - start;
  for (int from = 0; from < ranks; ++from) {
    for (int i = 0; i < rows; ++i) {
      for (int k = 0; k < rows; ++k) square[i * columns + from * rows + k] = received[from * block + i * rows + k];
    }
  }
}

static void transform(const double complex* roots, int back) {
  for (int way = 0; way < 2; ++way) {
    for (int i = 0; i < rows; ++i) transform_row(square + i * columns, roots, back);
    transpose();
  }
}

static int is_power_of_two(int number) { return number > 0 && (number & (number - 1)) == 0; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rows = argc > 1 ? atoi(argv[1]) : 8;
  const int steps = argc > 2 ? atoi(argv[2]) : 4;
  if (argc > 3 || !is_power_of_two(rows) || !is_power_of_two(ranks) || steps < 1) {
    if (rank == 0) fprintf(stderr, "usage: fourier [ROWS [STEPS]]; ROWS and the number of ranks are powers of two\n");
    MPI_Finalize();
    return 2;
  }
  columns = (long)rows * ranks;
  const size_t bytes = (size_t)(rows * columns) * sizeof(double complex);
  square = malloc(bytes);
  sent = malloc(bytes);
  received = malloc(bytes);
  double complex* const roots = malloc((size_t)columns * sizeof(double complex));
  if (!square || !sent || !received || !roots) MPI_Abort(MPI_COMM_WORLD, 1);
  for (long i = 0; i < columns; ++i) roots[i] = cexp(-2.0 * M_PI * I * (double)i / (double)columns);
  for (long i = 0; i < rows * columns; ++i) square[i] = sin((double)(rank * rows * columns + i));

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    transform(roots, 0);
    transform(roots, 1);
    for (long i = 0; i < rows * columns; ++i) square[i] /= (double)(columns * columns);
  }
  double own[2] = {MPI_Wtime() - start, in_alltoall}, most[2];
  int is_wrong = 0;
  for (long i = 0; i < rows * columns; ++i) {
    const double error = cabs(square[i] - sin((double)(rank * rows * columns + i)));
    is_wrong |= !(error <= 1e-9); /* no number, either */
  }
  MPI_Reduce(own, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &is_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d ranks, %ld x %ld numbers, %ld bytes a pair: %.3f s a step, %.3f s of them in MPI_Alltoall, %s\n", ranks,
           columns, columns, (long)rows * rows * (long)sizeof(double complex), most[0] / steps, most[1] / steps,
           is_wrong ? "WRONG" : "right");
  }
  free(square);
  free(sent);
  free(received);
  free(roots);
  MPI_Finalize();
  return is_wrong;
}
