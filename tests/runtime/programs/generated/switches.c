/* SPDX-License-Identifier: Apache-2.0
 * Calls the functions of a generated set with several sizes and roots, and prints how many messages each rank sent. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int trunkline_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
int trunkline_allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm);

enum { MOST = 4096 / sizeof(int), RANKS = 4 };
static int sent;

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  ++sent;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  ++sent;
  return PMPI_Issend(data, count, type, to, tag, comm, request);
}

static void report(const char* what, int bytes, int root, int right) {
  int counts[RANKS];
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Gather(&sent, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s %d from %d: %d %d %d %d, %s\n", what, bytes, root, counts[0], counts[1], counts[2], counts[3],
           right ? "right" : "WRONG");
}

int main(int argc, char** argv) {
  static const int sizes[] = {4, 60, 64, 4096};
  int data[MOST];
  int sums[MOST];
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int k = 0; k < 4; ++k) {
    const int count = sizes[k] / (int)sizeof(int);
    int right = 1;
    for (int i = 0; i < count; ++i) data[i] = rank + i;
    sent = 0;
    trunkline_allreduce(data, sums, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) right = right && sums[i] == RANKS * i + RANKS * (RANKS - 1) / 2;
    report("allreduce", sizes[k], 0, right);
  }
  for (int root = 1; root < RANKS; ++root) {
    int right = 1;
    for (int i = 0; i < MOST; ++i) data[i] = rank == root ? root + i : -1;
    sent = 0;
    trunkline_bcast(data, MOST, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < MOST; ++i) right = right && data[i] == root + i;
    report("bcast", 4096, root, right);
  }
  MPI_Finalize();
  return 0;
}
