/* SPDX-License-Identifier: Apache-2.0
 * Preloaded: collectives whose results are wrong on one rank, for tests of what checks them.
 *
 *     SPOILT=RESULT:RANK:OFFSET   flips a byte of what arrives at that rank
 *     SPOILT=INPUT:RANK:OFFSET    and of what that rank puts in
 *
 * Nobody waits in a barrier. Messages of up to SMALL bytes, by which programs talk about what they do, stay right.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 64 };

static int spoils(const char* what, size_t bytes, size_t* offset) {
  int rank;
  int wanted = -1;
  char word[16] = "";
  const char* spoilt = getenv("SPOILT");
  if (!spoilt || sscanf(spoilt, "%15[A-Z]:%d:%zu", word, &wanted, offset) != 3) return 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == wanted && strcmp(word, what) == 0 && bytes > SMALL && *offset < bytes;
}

static void flip(const char* what, void* data, size_t bytes) {
  size_t at;
  if (data && spoils(what, bytes, &at)) ((unsigned char*)data)[at] ^= 1U;
}

static size_t size_of(int count, MPI_Datatype type) {
  int each;
  MPI_Type_size(type, &each);
  return (size_t)count * (size_t)each;
}

#pragma GCC visibility push(default)

#define REAL(name, ...) ((int (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

int PMPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const int result = REAL(PMPI_Bcast, void*, int, MPI_Datatype, int, MPI_Comm)(data, count, type, root, comm);
  flip("RESULT", data, size_of(count, type));
  return result;
}

/* What the preload library calls where it runs no plan. */
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return PMPI_Bcast(data, count, type, root, comm);
}

int PMPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  flip("INPUT", (void*)from, size_of(count, type));
  const int result = REAL(PMPI_Reduce, const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm)(
      from, to, count, type, op, root, comm);
  flip("RESULT", to, size_of(count, type));
  return result;
}

int PMPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  flip("INPUT", (void*)from, size_of(count, type));
  const int result =
      REAL(PMPI_Allreduce, const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm)(from, to, count, type, op, comm);
  flip("RESULT", to, size_of(count, type));
  return result;
}

int PMPI_Barrier(MPI_Comm comm) {
  (void)comm;
  return MPI_SUCCESS;
}

int PMPI_Reduce_scatter(const void* from, void* to, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  const int result = REAL(PMPI_Reduce_scatter, const void*, void*, const int[], MPI_Datatype, MPI_Op, MPI_Comm)(
      from, to, counts, type, op, comm);
  flip("RESULT", to, size_of(counts[rank], type));
  return result;
}

int PMPI_Reduce_scatter_block(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const int result = REAL(PMPI_Reduce_scatter_block, const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm)(
      from, to, count, type, op, comm);
  flip("RESULT", to, size_of(count, type));
  return result;
}

int PMPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int each, MPI_Datatype other,
                   MPI_Comm comm) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  flip("INPUT", (void*)from, size_of(count, type));
  const int result = REAL(PMPI_Allgather, const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm)(
      from, count, type, to, each, other, comm);
  flip("RESULT", to, size_of(each, other) * (size_t)ranks);
  return result;
}

int PMPI_Allgatherv(const void* from, int count, MPI_Datatype type, void* to, const int counts[], const int starts[],
                    MPI_Datatype other, MPI_Comm comm) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  const int result = REAL(PMPI_Allgatherv, const void*, int, MPI_Datatype, void*, const int[], const int[],
                          MPI_Datatype, MPI_Comm)(from, count, type, to, counts, starts, other, comm);
  flip("RESULT", to, size_of(starts[ranks - 1] + counts[ranks - 1], other));
  return result;
}
