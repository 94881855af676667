// SPDX-License-Identifier: Apache-2.0
// runtime-storm CALLS SEED CHOICE...: broadcasts back to back of mixed sizes, roots and communicators, some ranks late
// now and then, by turns natively and under the choices (as for trunkline_set). Checks every byte. Rank 0 prints
//     SECONDS_OURS SECONDS_NATIVE KIB_OURS KIB_NATIVE
// of the slowest rank, and of the rank whose memory grew most; exit status 0 or 1.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int batch = 500;
constexpr int sizes[] = {8, 600, 1448, 2000, 4000, 4000, 4000, 9000, 30000, 200000};

int rank = 0;
int ranks = 1;
long wrong_calls = 0;

long peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  }
  return 0;
}

using Bcast = int(void*, int, MPI_Datatype, int, MPI_Comm);

struct Communicators {
  std::vector<MPI_Comm> all;

  Communicators() : all(4, MPI_COMM_NULL) {
    all[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &all[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &all[2]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &all[3]);
  }
  ~Communicators() {
    for (std::size_t i = 1; i < all.size(); ++i) MPI_Comm_free(&all[i]);
  }
};

/// The same calls on all ranks: everything follows from the seed.
double run_batch(Bcast* bcast, unsigned seed, const Communicators& communicators, std::vector<unsigned char>& data) {
  std::mt19937 random(seed);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int call = 0; call < batch; ++call) {
    const int bytes = sizes[random() % std::size(sizes)];
    const MPI_Comm communicator = communicators.all[random() % 8 < 5 ? 0 : random() % communicators.all.size()];
    const auto any_root = static_cast<int>(random() % 2 == 0 ? 0 : random() % 1000);
    const bool late = random() % 300 == 0;
    const auto who = static_cast<int>(random() % static_cast<unsigned>(ranks));
    const auto value = static_cast<unsigned char>(random());
    if (late && who == rank) usleep(20000);
    int own = 0;
    int members = 0;
    MPI_Comm_rank(communicator, &own);
    MPI_Comm_size(communicator, &members);
    const int root = any_root % members;
    const auto length = static_cast<std::size_t>(bytes);
    std::memset(data.data(), own == root ? value : value + 1, length);
    bcast(data.data(), bytes, MPI_BYTE, root, communicator);
    const bool right = data[0] == value && std::memcmp(data.data(), data.data() + 1, length - 1) == 0;
    if (!right) ++wrong_calls;
  }
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  using Set = int(const char*, const char*);
  auto* const set = reinterpret_cast<Set*>(dlsym(RTLD_DEFAULT, "trunkline_set"));
  const int calls = std::atoi(argv[1]);
  const auto seed = static_cast<unsigned>(std::atoi(argv[2]));
  std::vector<unsigned char> data(*std::max_element(std::begin(sizes), std::end(sizes)) + 1);
  double seconds[2] = {0.0, 0.0};
  long grown[2] = {0, 0};
  {
    const Communicators communicators;
    for (int done = 0; done < calls; done += batch) {
      const int turn = done / batch;
      if (set != nullptr && argc > 3 && set("bcast", argv[3 + turn % (argc - 3)]) != 0) ++wrong_calls;
      for (int native = 0; native < 2; ++native) {
        const long before = peak_kib();
        seconds[native] +=
            run_batch(native == 1 ? PMPI_Bcast : MPI_Bcast, seed + static_cast<unsigned>(turn), communicators, data);
        grown[native] += peak_kib() - before;
      }
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, grown, 2, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &wrong_calls, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("%.3f %.3f %ld %ld\n", seconds[0], seconds[1], grown[0], grown[1]);
    if (wrong_calls > 0) std::printf("%ld wrong\n", wrong_calls);
  }
  MPI_Finalize();
  return wrong_calls == 0 ? 0 : 1;
}
