/* SPDX-License-Identifier: Apache-2.0
 * A factorisation for "An Efficient Implementation for Broadcasting Data in Parallel Applications over Ethernet
 * Clusters" (Tinetti, Barbieri), which names factorisations as further work: P A = L U with partial pivoting, on a BLAS
 * library. Blocks of columns go to the processes by turns. In each step one process factorises its block, and
 * broadcasts it with its pivots; all bring their columns behind it up to date.
 *
 *     mpicc.mpich -O2 -o lu lu.c -lopenblas -lm
 *     trunkline lab run --cluster paper-1 --mpi mpich -n 8 --native -- ./lu --order 2000 --check
 *     trunkline lab run --cluster paper-1 --mpi mpich -n 8 -- ./lu --order 2000 --check
 *
 *     --order N    of the matrix, 2000 unless told otherwise. Elements are doubles
 *     --block B    columns of a block, 64 unless told otherwise
 *     --check      compares L U x with P A x for x of ones
 *
 * What is factorised moves by MPI_Bcast alone; a barrier and reductions are for the clock and the check.
 */
#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, check;
static long order = 2000, block = 64;
static double sending; /* seconds in MPI_Bcast */

/* OpenBLAS alone has it. Threads of each rank would be in each other's way where ranks share processors. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));

static long least(long a, long b) { return a < b ? a : b; }
static long blocks(void) { return (order + block - 1) / block; }
static int owner(long of_block) { return (int)(of_block % ranks); }
/* Columns of this rank before that block. */
static long own_before(long of_block) {
  const long turns = of_block / ranks + (rank < of_block % ranks);
  return least(turns * block, order);
}
static long own_columns(void) {
  long all = 0;
  for (long k = rank; k < blocks(); k += ranks) all += least(block, order - k * block);
  return all;
}

/* Between -0.5 and 0.5, without a pattern. */
static double element(long i, long j) {
  uint32_t mixed = ((uint32_t)i * 2654435761U) ^ ((uint32_t)j * 2246822519U + 12345U);
  mixed = (mixed ^ (mixed >> 15U)) * 3266489917U;
  mixed = (mixed ^ (mixed >> 13U)) * 668265263U;
  return (double)(mixed >> 8U) / 16777216.0 - 0.5;
}

static void* room(size_t count, size_t bytes) {
  void* found = calloc(count + 1, bytes);
  if (!found) {
    fprintf(stderr, "lu: rank %d has no memory for %zu elements\n", rank, count);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return found;
}

/* Columns lie one after another, `order` elements each. */
static void swap_rows(double* columns, long count, long a, long b) {
  if (a != b && count > 0) cblas_dswap((int)count, columns + a, (int)order, columns + b, (int)order);
}

/* Rows from `from` on of a block of `width` columns: L below its diagonal, U above; `pivots` are rows. */
static void factorise(double* columns, long from, long width, int* pivots) {
  for (long k = 0; k < width; ++k) {
    const long at = from + k;
    double* const column = columns + k * order;
    const long pivot = at + (long)cblas_idamax((int)(order - at), column + at, 1);
    pivots[k] = (int)pivot;
    swap_rows(columns, width, at, pivot);
    const long below = order - at - 1;
    if (below == 0) continue;
    cblas_dscal((int)below, 1.0 / column[at], column + at + 1, 1);
    cblas_dger(CblasColMajor, (int)below, (int)(width - k - 1), -1.0, column + at + 1, 1, column + order + at,
               (int)order, column + order + at + 1, (int)order);
  }
}

/* Columns behind a block, with its rows `from` on in `panel`, of which each column has `rows` elements. */
static void update(double* columns, long count, const double* panel, long from, long rows, long width) {
  if (count == 0) return;
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, (int)width, (int)count, 1.0, panel,
              (int)rows, columns + from, (int)order);
  if (rows == width) return;
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)(rows - width), (int)count, (int)width, -1.0,
              panel + width, (int)rows, columns + from, (int)order, 1.0, columns + from + width, (int)order);
}

static void broadcast(void* data, long count, MPI_Datatype type, int root) {
  const double start = MPI_Wtime();
  MPI_Bcast(data, (int)count, type, root, MPI_COMM_WORLD);
  sending += MPI_Wtime() - start;
}

/* Seconds. */
static double factorisation(double* own, double* panel, int* pivots) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (long k = 0; k < blocks(); ++k) {
    const long from = k * block;
    const long width = least(block, order - from);
    const long rows = order - from;
    const int is_own = owner(k) == rank;
    double* const before = own + own_before(k) * order;
    if (is_own) {
      factorise(before, from, width, pivots + from);
      for (long j = 0; j < width; ++j)
        memcpy(panel + j * rows, before + j * order + from, (size_t)rows * sizeof *panel);
    }
    broadcast(pivots + from, width, MPI_INT, owner(k));
    broadcast(panel, rows * width, MPI_DOUBLE, owner(k));
    double* const behind = before + (is_own ? width * order : 0);
    const long count = own_columns() - (behind - own) / order;
    for (long j = 0; j < width; ++j) {
      swap_rows(own, (before - own) / order, from + j, pivots[from + j]);
      swap_rows(behind, count, from + j, pivots[from + j]);
    }
    update(behind, count, panel, from, rows, width);
  }
  return MPI_Wtime() - start;
}

/* The largest element of P A x - L U x, of which each rank has some columns, over the sum of |A x|'s; x is of ones. */
static double residual(const double* own, const int* pivots) {
  double* const ax = room((size_t)order, sizeof *ax);
  double* const ux = room((size_t)order, sizeof *ux);
  double* const lux = room((size_t)order, sizeof *lux);
  const double* column = own;
  for (long k = rank; k < blocks(); k += ranks) {
    for (long j = k * block; j < least((k + 1) * block, order); ++j, column += order) {
      for (long i = 0; i < order; ++i) ax[i] += element(i, j);
      for (long i = 0; i <= j; ++i) ux[i] += column[i];
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, ax, (int)order, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, ux, (int)order, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  column = own;
  for (long k = rank; k < blocks(); k += ranks) {
    for (long j = k * block; j < least((k + 1) * block, order); ++j, column += order) {
      lux[j] += ux[j];
      for (long i = j + 1; i < order; ++i) lux[i] += column[i] * ux[j];
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, lux, (int)order, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (long k = 0; k < order; ++k) swap_rows(ax, 1, k, pivots[k]);
  double worst = 0.0;
  double all = 0.0;
  for (long i = 0; i < order; ++i) {
    worst = fmax(worst, fabs(ax[i] - lux[i]));
    all += fabs(ax[i]);
  }
  free(ax);
  free(ux);
  free(lux);
  return worst / all;
}

static int read_arguments(char** words) {
  for (; *words; ++words) {
    char* end = NULL;
    const int is_order = strcmp(*words, "--order") == 0;
    if (strcmp(*words, "--check") == 0) {
      check = 1;
    } else if (is_order || strcmp(*words, "--block") == 0) {
      const long value = words[1] ? strtol(words[1], &end, 10) : 0;
      if (!words[1] || *end != '\0' || value < 1 || value > 40000) {
        if (rank == 0)
          fprintf(stderr, "lu: %s needs a whole number from 1 to 40000, not '%s'\n", *words, words[1] ? words[1] : "");
        return 0;
      }
      *(is_order ? &order : &block) = value;
      ++words;
    } else {
      if (rank == 0)
        fprintf(stderr, "lu: there is no argument '%s'\nusage: lu [--order N] [--block B] [--check]\n", *words);
      return 0;
    }
  }
  if (order <= INT_MAX / block) return 1;
  if (rank == 0) fprintf(stderr, "lu: a block has more elements than MPI counts: take a smaller --block\n");
  return 0;
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
  double* const own = room((size_t)own_columns() * (size_t)order, sizeof *own);
  double* const panel = room((size_t)order * (size_t)block, sizeof *panel);
  int* const pivots = room((size_t)order, sizeof *pivots);
  double* column = own;
  for (long k = rank; k < blocks(); k += ranks) {
    for (long j = k * block; j < least((k + 1) * block, order); ++j, column += order) {
      for (long i = 0; i < order; ++i) column[i] = element(i, j);
    }
  }

  const double seconds = factorisation(own, panel, pivots);
  const double mine[2] = {seconds, sending};
  double slowest[2];
  MPI_Reduce(mine, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const double off = check ? residual(own, pivots) : 0.0;
  const int is_right = off < 1e-12;
  if (rank == 0) {
    printf("lu: %d ranks, order %ld: %.6f s, %.6f s of them in MPI_Bcast on the slowest rank, %s\n", ranks, order,
           slowest[0], slowest[1],
           !check     ? "not checked"
           : is_right ? "factors right"
                      : "factors WRONG");
    if (!is_right) printf("lu: P A x is off by %g of its sum\n", off);
  }
  free(own);
  free(panel);
  free(pivots);
  MPI_Finalize();
  return !is_right;
}
