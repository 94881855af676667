// SPDX-License-Identifier: Apache-2.0
// runtime-calls BYTES:ROOT...: broadcasts one after another, each with its bytes checked. Rank 0 prints what ran for
// each: ALGORITHM SEGMENT. "dup": from here on over a new communicator of the same processes.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
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
  MPI_Comm communicator = MPI_COMM_WORLD;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "dup") == 0) {
      MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
      continue;
    }
    char* colon = nullptr;
    const long bytes = std::strtol(argv[i], &colon, 10);
    const int root = std::atoi(colon + 1);
    std::vector<char> sent(static_cast<std::size_t>(bytes));
    for (std::size_t at = 0; at < sent.size(); ++at)
      sent[at] = static_cast<char>(at * 31 + static_cast<std::size_t>(i));
    std::vector<char> data = rank == root ? sent : std::vector<char>(sent.size());
    MPI_Bcast(data.data(), static_cast<int>(bytes), MPI_BYTE, root, communicator);
    if (data != sent) MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank == 0) std::printf("%s %llu\n", last("bcast"), segment("bcast"));
  }
  MPI_Finalize();
}
