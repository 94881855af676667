// SPDX-License-Identifier: Apache-2.0
// runtime-synchronous BYTES...: one allreduce of each size; prints how many messages of it went by synchronous sends,
// on the rank with most of them.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {
std::atomic<int> synchronous{0};
}  // namespace

/// The preload library's calls come here, as the program's own functions are found before the MPI library's.
extern "C" __attribute__((visibility("default"))) int PMPI_Issend(const void* data, int count, MPI_Datatype type,
                                                                  int to, int tag, MPI_Comm communicator,
                                                                  MPI_Request* request) {
  using Issend = int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  ++synchronous;
  return reinterpret_cast<Issend*>(dlsym(RTLD_NEXT, "PMPI_Issend"))(data, count, type, to, tag, communicator, request);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 1; i < argc; ++i) {
    const std::vector<signed char> ones(static_cast<std::size_t>(std::atoi(argv[i])), 1);
    std::vector<signed char> sums(ones.size());
    const int before = synchronous;
    MPI_Allreduce(ones.data(), sums.data(), static_cast<int>(ones.size()), MPI_SIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
    const int mine = synchronous - before;
    int most = 0;
    PMPI_Reduce(&mine, &most, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    const bool right = sums == std::vector<signed char>(ones.size(), static_cast<signed char>(ranks));
    if (!right) std::fprintf(stderr, "rank %d: a wrong sum of %s bytes\n", rank, argv[i]);
    if (rank == 0) std::printf("%s bytes: %d synchronous\n", argv[i], most);
  }
  MPI_Finalize();
}
