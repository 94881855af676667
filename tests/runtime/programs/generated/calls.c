/* SPDX-License-Identifier: Apache-2.0
 * Counts what the generated function calls of MPI.
 */
#include "cases.h"

struct calls calls;

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++calls.native;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

#if MPI_VERSION >= 3
#define IN const /* LAM/MPI declares as MPI-1 did */
#else
#define IN
#endif

int MPI_Pack(IN void* in, int count, MPI_Datatype type, void* out, int size, int* at, MPI_Comm comm) {
  ++calls.packs;
  return PMPI_Pack(in, count, type, out, size, at, comm);
}

int MPI_Unpack(IN void* in, int size, int* at, void* out, int count, MPI_Datatype type, MPI_Comm comm) {
  ++calls.unpacks;
  return PMPI_Unpack(in, size, at, out, count, type, comm);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  calls.asked += count;
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  ++calls.made;
  return PMPI_Comm_create(comm, group, made);
}

int MPI_Comm_free(MPI_Comm* comm) {
  ++calls.freed;
  expect(!finalizing, "MPI_Comm_free within MPI_Finalize, which not every MPI bears", 0);
  return PMPI_Comm_free(comm);
}
