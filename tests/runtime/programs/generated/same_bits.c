/* SPDX-License-Identifier: Apache-2.0
 * generated-same-bits: compares a generated function, to which it is linked, with MPI's own of the same collective,
 * for which a library with the same plan is preloaded: results must have the same bits. COLLECTIVE says which it is.
 * Prints what the library ran, and "same" or how many results differ.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { allreduce, reduce, reduce_scatter_block, reduce_scatter };

int trunkline_allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm);
int trunkline_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, int root,
                     MPI_Comm comm);
int trunkline_reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                                   MPI_Comm comm);
int trunkline_reduce_scatter(const void* send, void* receive, const int counts[], MPI_Datatype type, MPI_Op operation,
                             MPI_Comm comm);

static int rank, ranks, root;

/* Shares of ranks, uneven. */
static int share(int of, int count) { return count * (of % 3) + of % 2; }

static void run(int generated, const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation) {
#if COLLECTIVE == 0
  (generated ? trunkline_allreduce : MPI_Allreduce)(send, receive, count, type, operation, MPI_COMM_WORLD);
#elif COLLECTIVE == 1
  (generated ? trunkline_reduce : MPI_Reduce)(rank == root           ? send
                                              : send == MPI_IN_PLACE ? receive
                                                                     : send,
                                              receive, count, type, operation, root, MPI_COMM_WORLD);
#elif COLLECTIVE == 2
  (generated ? trunkline_reduce_scatter_block : MPI_Reduce_scatter_block)(send, receive, count, type, operation,
                                                                          MPI_COMM_WORLD);
#else
  int counts[64];
  for (int i = 0; i < ranks; ++i) counts[i] = share(i, count);
  (generated ? trunkline_reduce_scatter : MPI_Reduce_scatter)(send, receive, counts, type, operation, MPI_COMM_WORLD);
#endif
}

/* Of the operand, and of the result. */
static size_t elements(int count, int result) {
  size_t total = 0;
  if (COLLECTIVE < reduce_scatter_block) return COLLECTIVE == reduce && result && rank != root ? 0 : (size_t)count;
  if (COLLECTIVE == reduce_scatter_block) return (size_t)(result ? count : count * ranks);
  if (result) return (size_t)share(rank, count);
  for (int i = 0; i < ranks; ++i) total += (size_t)share(i, count);
  return total;
}

/* Numbers of unlike magnitude: each order of operands rounds otherwise. */
static double value(size_t at) {
  const unsigned mixed = ((unsigned)at * 2654435761U) ^ ((unsigned)rank * 40503U + 77U) * 2246822519U;
  return (mixed % 2000001U / 7.0 - 140000.0) * (mixed >> 20 & 1 ? 1e-6 : mixed >> 21 & 1 ? 1e9 : 1.0);
}

int main(int argc, char** argv) {
  const int counts[] = {1, 2, 3, 5, 8, 13, 100, 1000, 5000};
  const char* (*last)(const char*) = (const char* (*)(const char*))dlsym(RTLD_DEFAULT, "trunkline_last");
  int differ = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  root = atoi(argv[1]);
  for (size_t i = 0; i < 4 * (sizeof counts / sizeof *counts); ++i) {
    const int count = counts[i / 4];
    const int in_place = i % 2;
    const MPI_Op operation = i / 2 % 2 ? MPI_PROD : MPI_SUM;
    const size_t sent = elements(count, 0);
    const size_t got = elements(count, 1);
    double* const own = malloc((sent + 1) * sizeof *own);
    double* const results[2] = {malloc((sent + 1) * sizeof *own), malloc((sent + 1) * sizeof *own)};
    for (size_t at = 0; at < sent; ++at) own[at] = operation == MPI_PROD ? 1.0 + value(at) * 1e-9 : value(at);
    for (int generated = 0; generated < 2; ++generated) {
      memcpy(results[generated], own, sent * sizeof *own);
      run(generated, in_place ? MPI_IN_PLACE : own, results[generated], count, MPI_DOUBLE, operation);
    }
    if (memcmp(results[0], results[1], got * sizeof *own) != 0) ++differ;
    free(results[0]);
    free(results[1]);
    free(own);
  }
  PMPI_Allreduce(MPI_IN_PLACE, &differ, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%s\n", last ? last(argv[2]) : "nothing");
    if (differ > 0) printf("%d results differ\n", differ);
    if (differ == 0) printf("same\n");
  }
  MPI_Finalize();
  return 0;
}
