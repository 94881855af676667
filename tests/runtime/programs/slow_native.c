// SPDX-License-Identifier: Apache-2.0
// Preloaded behind Trunkline's library: native calls that take SLOW_NATIVE_US microseconds more.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_a_while(void) {
  const char* const us = getenv("SLOW_NATIVE_US");
  if (us != NULL) usleep((useconds_t)atoi(us));
}

__attribute__((visibility("default"))) int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root,
                                                     MPI_Comm communicator) {
  wait_a_while();
  return PMPI_Bcast(buffer, count, type, root, communicator);
}

__attribute__((visibility("default"))) int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type,
                                                         MPI_Op operation, MPI_Comm communicator) {
  wait_a_while();
  return PMPI_Allreduce(send, receive, count, type, operation, communicator);
}
