/* SPDX-License-Identifier: Apache-2.0
 * The application of "An Efficient Implementation for Broadcasting Data in Parallel Applications over Ethernet
 * Clusters" (Tinetti, Barbieri): C = A B of square matrices on a BLAS library. Each process holds a block of rows of A
 * and of C, and a block of columns of B. In step k process k broadcasts its columns, and all multiply them by their own
 * rows.
 *
 *     mpicc.mpich -O2 -o matmul matmul.c -lopenblas
 *     trunkline lab run --cluster paper-1 --mpi mpich -n 8 --native -- ./matmul --order 3200 --check
 *     trunkline lab run --cluster paper-1 --mpi mpich -n 8 -- ./matmul --order 3200 --check
 *
 *     --order N    of the matrices; as in the paper 3200, unless told otherwise. Elements are doubles
 *     --steps S    each process broadcasts its columns in so many parts; 1
 *     --check      rank 0 multiplies by itself, too. Elements are small integers, so products must be equal to the bit
 *     --pretend G  nobody multiplies: each sleeps as long as a host takes that makes G GFLOP/s. So hosts that share a
 *                  processor, or are simulated, are as fast as hosts with one of their own
 *
 * Matrices move by MPI_Bcast alone; a barrier and two reductions are for the clock.
 */
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef WITHOUT_BLAS
#include <cblas.h>
#endif

static int rank, ranks;
static long order = 3200, steps = 1;
static int check;
static double pretend; /* GFLOP/s; 0: multiply */
static double sending; /* seconds in MPI_Bcast */

/* OpenBLAS alone has it. Threads of each rank would be in each other's way where ranks share processors. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));

/* The first of the rows, or columns, of part k of so many parts. */
static long first_of(long k, long parts, long all) { return k * all / parts; }
static long rows_of(int k) { return first_of(k + 1, ranks, order) - first_of(k, ranks, order); }
static long most_rows(void) { return rows_of(ranks - 1); } /* rounded up; those before may have one less */

/* Whole numbers from -8 to 7 without a pattern. Sums of order 64 times their number are exact in a double. */
static double element(long i, long j, uint32_t matrix) {
  uint32_t mixed = ((uint32_t)i * 2654435761U) ^ ((uint32_t)j * 2246822519U + matrix);
  mixed = (mixed ^ (mixed >> 15U)) * 3266489917U;
  return (double)(mixed >> 28U) - 8.0;
}

/* Rows i to i + rows, columns j to j + columns, one row after another. */
static void fill(double* to, long i, long rows, long j, long columns, uint32_t matrix) {
  for (long y = 0; y < rows; ++y) {
    for (long x = 0; x < columns; ++x) to[y * columns + x] = element(i + y, j + x, matrix);
  }
}

enum { A = 1, B = 77 };

static double* room(long rows, long columns) {
  double* found = malloc(((size_t)rows * (size_t)columns + 1) * sizeof *found);
  if (!found) {
    fprintf(stderr, "matmul: rank %d has no memory for %ld x %ld elements\n", rank, rows, columns);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return found;
}

/* to = a b, of `rows` x order and order x `columns` elements; rows of `to` are order long. */
static void multiply(const double* a, const double* b, double* to, long rows, long columns) {
  if (pretend > 0) {
    const double seconds = 2.0 * (double)rows * (double)columns * (double)order / (pretend * 1e9);
    const struct timespec asleep = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&asleep, NULL);
    return;
  }
#ifndef WITHOUT_BLAS
  if (rows == 0 || columns == 0) return;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)columns, (int)order, 1.0, a, (int)order, b,
              (int)columns, 0.0, to, (int)order);
#else
  (void)a;
  (void)b;
  (void)to;
#endif
}

static void broadcast(double* data, long count, int root) {
  const double start = MPI_Wtime();
  MPI_Bcast(data, (int)count, MPI_DOUBLE, root, MPI_COMM_WORLD);
  sending += MPI_Wtime() - start;
}

/* Seconds. `own` are this rank's columns, each part of them by itself; others' arrive in `other`. */
static double product(const double* a, double* own, double* other, double* c) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int k = 0; k < ranks; ++k) {
    const long from = first_of(k, ranks, order);
    for (long step = 0; step < steps; ++step) {
      const long at = first_of(step, steps, rows_of(k));
      const long columns = first_of(step + 1, steps, rows_of(k)) - at;
      double* const b = k == rank ? own + at * order : other;
      if (columns > 0) broadcast(b, columns * order, k);
      multiply(a, b, c + from + at, rows_of(rank), columns);
    }
  }
  return MPI_Wtime() - start;
}

/* On rank 0: how many elements are not what one process finds. Each rank's rows of C are broadcast. */
static long wrong_elements(double* c, double* other) {
  long wrong = 0;
  double* const b = rank == 0 ? room(order, order) : NULL;
  double* const a = rank == 0 ? room(most_rows(), order) : NULL;
  double* const right = rank == 0 ? room(most_rows(), order) : NULL;
  if (rank == 0) fill(b, 0, order, 0, order, B);
  for (int k = 0; k < ranks; ++k) {
    double* const rows = k == rank ? c : other;
    const long count = rows_of(k) * order;
    if (count > 0) broadcast(rows, count, k);
    if (rank != 0) continue;
    fill(a, first_of(k, ranks, order), rows_of(k), 0, order, A);
    multiply(a, b, right, rows_of(k), order);
    for (long i = 0; i < count; ++i) wrong += rows[i] != right[i];
  }
  free(b);
  free(a);
  free(right);
  return wrong;
}

static int refuse(const char* why, ...) {
  va_list values;
  va_start(values, why);
  if (rank == 0) {
    fputs("matmul: ", stderr);
    vfprintf(stderr, why, values);
    fputs("\nusage: matmul [--order N] [--steps S] [--check | --pretend GFLOPS]\n", stderr);
  }
  va_end(values);
  return 0;
}

static int whole(const char* name, const char* text, long* value) {
  char* end = NULL;
  *value = text ? strtol(text, &end, 10) : 0;
  if (!text || *end != '\0' || *value < 1 || *value > INT_MAX) {
    return refuse("%s needs a whole number above zero, not '%s'", name, text ? text : "");
  }
  return 1;
}

static int read_arguments(char** words) {
  for (; *words; ++words) {
    char* end = NULL;
    if (strcmp(*words, "--check") == 0) {
      check = 1;
    } else if (strcmp(*words, "--order") == 0 || strcmp(*words, "--steps") == 0) {
      if (!whole(words[0], words[1], words[0][2] == 'o' ? &order : &steps)) return 0;
      ++words;
    } else if (strcmp(*words, "--pretend") == 0) {
      ++words;
      pretend = *words ? strtod(*words, &end) : 0.0;
      if (!*words || *end != '\0' || !(pretend > 0) || isinf(pretend)) {
        return refuse("--pretend needs GFLOP/s above zero, not '%s'", *words ? *words : "");
      }
    } else {
      return refuse("there is no argument '%s'", *words);
    }
  }
  if (check && pretend > 0) return refuse("--check needs a product, and --pretend makes none: leave one of them out");
#ifdef WITHOUT_BLAS
  if (!(pretend > 0)) return refuse("this one was built without BLAS: give --pretend");
#endif
  if (order > INT_MAX / most_rows()) {
    return refuse("a block of order %ld on %d ranks has more elements than MPI counts: take more ranks", order, ranks);
  }
  return 1;
}

static void say(double seconds, double slowest, long wrong) {
  const double size = (double)order;
  printf("matmul: %d ranks, order %ld: %.6f s, %.6f s of them in MPI_Bcast on the slowest rank, %.3f GFLOP/s, %s\n",
         ranks, order, seconds, slowest, 2e-9 * size * size * size / seconds,
         pretend > 0  ? "nothing multiplied"
         : !check     ? "product not checked"
         : wrong == 0 ? "product right"
                      : "product WRONG");
  if (wrong > 0) printf("matmul: %ld of %.0f elements are wrong\n", wrong, size * size);
  fflush(stdout);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!read_arguments(argv + 1)) {
    MPI_Finalize();
    return 2;
  }
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  const long rows = rows_of(rank);
  const int computes = !(pretend > 0);
  double* const a = room(computes ? rows : 0, order);
  double* const c = room(computes ? rows : 0, order);
  double* const own = room(rows, order);
  double* const other = room(most_rows(), order);
  const long start = first_of(rank, ranks, order);
  if (computes) fill(a, start, rows, 0, order, A);
  for (long step = 0; step < steps; ++step) {
    const long at = first_of(step, steps, rows);
    fill(own + at * order, 0, order, start + at, first_of(step + 1, steps, rows) - at, B);
  }

  const double seconds = product(a, own, other, c);
  const double mine[2] = {seconds, sending};
  double slowest[2];
  MPI_Reduce(mine, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  long wrong = check ? wrong_elements(c, other) : 0;
  if (rank == 0) say(slowest[0], slowest[1], wrong);
  MPI_Bcast(&wrong, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  free(a);
  free(c);
  free(own);
  free(other);
  MPI_Finalize();
  return wrong != 0;
}
