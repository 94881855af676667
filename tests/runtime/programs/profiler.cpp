// SPDX-License-Identifier: Apache-2.0
// A tool as many programs have one: it wraps what we wrap, by MPI's profiling interface, and counts.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdio>

namespace {
int begins = 0;
int broadcasts = 0;
int frees = 0;
}  // namespace

#define PROFILER extern "C" __attribute__((visibility("default")))

PROFILER int MPI_Init(int* argc, char*** argv) {
  ++begins;
  return PMPI_Init(argc, argv);
}

PROFILER int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  ++begins;
  return PMPI_Init_thread(argc, argv, required, provided);
}

PROFILER int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
  ++broadcasts;
  return PMPI_Bcast(buffer, count, type, root, communicator);
}

PROFILER int MPI_Comm_free(MPI_Comm* communicator) {
  ++frees;
  return PMPI_Comm_free(communicator);
}

PROFILER int MPI_Finalize() {
  std::fprintf(stderr, "profiler: %d %s %s\n", begins, broadcasts > 0 ? "broadcasts" : "none",
               frees > 0 ? "frees" : "none");
  return PMPI_Finalize();
}
