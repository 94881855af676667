// SPDX-License-Identifier: Apache-2.0
// runtime-spawn COMMAND...: two ranks start two more by MPI_Comm_spawn, which run COMMAND; its last word is this
// program again. Broadcasts in both worlds, across the two, and on what joins them. Each rank prints "parent R: fine"
// or "child R: fine", else what was wrong.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace {

bool good = true;
std::string self;

/// `root` as MPI_Bcast takes it, MPI_ROOT and MPI_PROC_NULL among them.
void right(MPI_Comm communicator, int root, bool sends, int serial, const char* what) {
  std::vector<unsigned char> data(50000, 0);
  const auto content = [serial](std::size_t i) { return static_cast<unsigned char>(i * 13 + (i >> 9) + serial); };
  for (std::size_t i = 0; sends && i < data.size(); ++i) data[i] = content(i);
  MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_BYTE, root, communicator);
  if (root == MPI_PROC_NULL) return;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < data.size(); ++i) wrong += data[i] != content(i) ? 1U : 0U;
  if (wrong == 0) return;
  good = false;
  std::printf("%s: %s: %zu wrong bytes\n", self.c_str(), what, wrong);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Comm_get_parent(&between);
  const bool is_child = between != MPI_COMM_NULL;
  self = (is_child ? "child " : "parent ") + std::to_string(rank);
  right(MPI_COMM_WORLD, 0, rank == 0, 1, "own world");
  if (!is_child) {
    MPI_Comm_spawn(argv[1], argv + 2, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
  }
  right(MPI_COMM_WORLD, 1, rank == 1, 2, "own world, once more");
  const int across = is_child ? 0 : (rank == 0 ? MPI_ROOT : MPI_PROC_NULL);
  right(between, across, across == MPI_ROOT, 3, "across");
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_merge(between, is_child ? 1 : 0, &all);
  int place = 0;
  int members = 0;
  MPI_Comm_rank(all, &place);
  MPI_Comm_size(all, &members);
  for (int root = 0; root < members; ++root) right(all, root, place == root, 4 + root, "joined");
  right(MPI_COMM_WORLD, 0, rank == 0, 9, "own world in the end");
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&between);
  if (good) std::printf("%s: fine\n", self.c_str());
  std::fflush(stdout);
  MPI_Finalize();
  return good ? 0 : 1;
}
