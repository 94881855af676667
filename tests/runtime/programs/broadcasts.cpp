// SPDX-License-Identifier: Apache-2.0
// runtime-broadcasts CALLS SEED: so many broadcasts with random sizes, roots and communicators, some of which are freed
// and made anew in between. Every byte is compared. Prints how many were wrong; exit status 0 or 1.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

/// Half of them fit a datagram, a tenth are long.
int random_size(std::mt19937& random) {
  constexpr std::array<unsigned, 10> most{64, 64, 64, 64, 64, 9000, 9000, 9000, 40000, 250000};
  const unsigned limit = most[random() % most.size()];
  return 1 + static_cast<int>(random() % limit);
}

int rank_in(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

MPI_Comm part_of_world(int color, int key) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, color, key, &made);
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int calls = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::mt19937 random(argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1U);  // the same on all ranks
  const int rank = rank_in(MPI_COMM_WORLD);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::array<MPI_Comm, 4> communicators{MPI_COMM_WORLD, part_of_world(0, rank), part_of_world(rank % 2, rank),
                                        part_of_world(rank < ranks / 3 ? 1 : 0, -rank)};
  std::vector<unsigned char> data;
  long wrong = 0;
  for (int call = 0; call < calls; ++call) {
    const std::size_t which = random() % communicators.size();
    const MPI_Comm communicator = communicators[which];
    data.resize(static_cast<std::size_t>(random_size(random)));
    int members = 0;
    MPI_Comm_size(communicator, &members);
    const int root = static_cast<int>(random() % static_cast<unsigned>(members * ranks)) % members;
    const auto wanted = [&](std::size_t i) {
      return static_cast<unsigned char>(i * 7 + static_cast<std::size_t>(call));
    };
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = rank_in(communicator) == root ? wanted(i) : 0;
    MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_BYTE, root, communicator);
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (data[i] == wanted(i)) continue;
      ++wrong;
      break;
    }
    if (random() % 200 == 0) {
      MPI_Comm_free(&communicators[3]);
      communicators[3] = part_of_world(rank < ranks / 3 ? 1 : 0, -rank);
    }
  }
  long all_wrong = 0;
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d broadcasts, %ld wrong\n", calls, all_wrong);
  for (std::size_t i = 1; i < communicators.size(); ++i) MPI_Comm_free(&communicators[i]);
  MPI_Finalize();
  return all_wrong == 0 ? 0 : 1;
}
