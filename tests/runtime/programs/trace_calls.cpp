// SPDX-License-Identifier: Apache-2.0
// runtime-trace-calls COUNT [kill | threads | pcontrol | own | elsewhere]: so many rounds of an allreduce of 4 bytes, a
// broadcast of 100000 and an allgather, each checked. With "kill" the last rank kills itself after them. With "threads"
// eight threads broadcast so often instead, each time on a new communicator. With "pcontrol" the program turns its
// trace on before the second third of its rounds, and off before the last; with "own" so too, by our own function. With
// "elsewhere" it goes to another folder first.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
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

/// By the standard's function or by ours. Returns whether it was as it should be before.
bool turn_trace(bool on, bool by_own) {
  if (!by_own) return MPI_Pcontrol(on ? 1 : 0) == MPI_SUCCESS;
  using Turn = int(int);
  auto* const turn = reinterpret_cast<Turn*>(dlsym(RTLD_DEFAULT, "trunkline_trace"));
  return turn != nullptr && turn(on ? 1 : 0) == (on ? 0 : 1);
}

void broadcast_on_new_ones(MPI_Comm own, int count) {
  std::vector<int> message(5000);
  for (int i = 0; i < count; ++i) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(own, &made);
    MPI_Bcast(message.data(), static_cast<int>(message.size()), MPI_INT, 0, made);
    MPI_Comm_free(&made);
  }
}

void broadcast_in_threads(int count) {
  std::vector<MPI_Comm> own(8, MPI_COMM_NULL);
  for (MPI_Comm& one : own) MPI_Comm_dup(MPI_COMM_WORLD, &one);
  std::vector<std::thread> threads;
  threads.reserve(own.size());
  for (const MPI_Comm one : own) threads.emplace_back([one, count] { broadcast_on_new_ones(one, count); });
  for (std::thread& thread : threads) thread.join();
  for (MPI_Comm& one : own) MPI_Comm_free(&one);
}

}  // namespace

int main(int argc, char** argv) {
  const bool in_threads = argc > 2 && std::strcmp(argv[2], "threads") == 0;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, in_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int count = argc > 1 ? std::atoi(argv[1]) : 1;
  std::vector<int> message(25000);
  bool right = true;
  if (in_threads) broadcast_in_threads(count);
  if (argc > 2 && std::strcmp(argv[2], "elsewhere") == 0) right = chdir("/") == 0;
  const bool by_own = argc > 2 && std::strcmp(argv[2], "own") == 0;
  const bool turns = by_own || (argc > 2 && std::strcmp(argv[2], "pcontrol") == 0);
  for (int i = 0; i < count && !in_threads; ++i) {
    if (turns && i == count / 3) right = turn_trace(true, by_own) && right;
    if (turns && i == 2 * count / 3) right = turn_trace(false, by_own) && right;
    right = all_right(rank, ranks, i, message) && right;
  }
  if (!right) std::fprintf(stderr, "rank %d: wrong results\n", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 2 && std::strcmp(argv[2], "kill") == 0 && rank == ranks - 1) std::raise(SIGKILL);
  MPI_Finalize();
  return right ? 0 : 1;
}
