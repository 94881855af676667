// SPDX-License-Identifier: Apache-2.0
// runtime-trace-calls COUNT [kill]: so many rounds of an allreduce of 4 bytes, a broadcast of 100000 and an allgather,
// each checked. With "kill" the last rank kills itself after them.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

bool all_right(int rank, int ranks, int i, std::vector<int>& message) {
  const int own = rank + i;
  int sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  bool right = sum == ranks * (ranks - 1) / 2 + ranks * i;
  for (std::size_t k = 0; k < message.size(); ++k) message[k] = rank == 0 ? i + static_cast<int>(k) : -1;
  MPI_Bcast(message.data(), static_cast<int>(message.size()), MPI_INT, 0, MPI_COMM_WORLD);
  for (std::size_t k = 0; k < message.size(); ++k) right = right && message[k] == i + static_cast<int>(k);
  std::vector<int> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (int k = 0; k < ranks; ++k) right = right && all[static_cast<std::size_t>(k)] == k + i;
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int count = argc > 1 ? std::atoi(argv[1]) : 1;
  std::vector<int> message(25000);
  bool right = true;
  for (int i = 0; i < count; ++i) right = all_right(rank, ranks, i, message) && right;
  if (!right) std::fprintf(stderr, "rank %d: wrong results\n", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 2 && std::strcmp(argv[2], "kill") == 0 && rank == ranks - 1) std::raise(SIGKILL);
  MPI_Finalize();
  return right ? 0 : 1;
}
