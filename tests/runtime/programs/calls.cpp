// SPDX-License-Identifier: Apache-2.0
// runtime-calls BYTES:ROOT...: broadcasts one after another. Rank 0 prints what ran for each: ALGORITHM SEGMENT.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  using Last = const char*(const char*);
  using LastSegment = unsigned long long(const char*);
  auto* const last = reinterpret_cast<Last*>(dlsym(RTLD_DEFAULT, "trunkline_last"));
  auto* const segment = reinterpret_cast<LastSegment*>(dlsym(RTLD_DEFAULT, "trunkline_last_segment"));
  if (last == nullptr || segment == nullptr) MPI_Abort(MPI_COMM_WORLD, 2);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i < argc; ++i) {
    char* colon = nullptr;
    const long bytes = std::strtol(argv[i], &colon, 10);
    std::vector<char> data(static_cast<std::size_t>(bytes));
    MPI_Bcast(data.data(), static_cast<int>(bytes), MPI_BYTE, std::atoi(colon + 1), MPI_COMM_WORLD);
    if (rank == 0) std::printf("%s %llu\n", last("bcast"), segment("bcast"));
  }
  MPI_Finalize();
}
