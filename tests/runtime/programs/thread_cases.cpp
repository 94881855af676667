// SPDX-License-Identifier: Apache-2.0
// MPI_THREAD_MULTIPLE: threads that broadcast at the same time, each on a communicator of its own.
#include <string>
#include <thread>

#include "suite.hpp"

namespace suite {
namespace {

void two_threads(Run& run) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) return;
  std::vector<MPI_Comm> own(2, MPI_COMM_NULL);
  for (MPI_Comm& communicator : own) MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  std::vector<Run> runs(2, run);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int turn = 0; turn < 8; ++turn) {
        const std::string what = "thread " + std::to_string(t) + ", turn " + std::to_string(turn);
        const std::uint64_t bytes = 900 + 317 * static_cast<unsigned>(turn) + 1000 * t;
        broadcast_bytes(runs[t], bytes, (turn + static_cast<int>(t)) % run.ranks, own[t], what);
        runs[t].expect_ran(run.ranks > 1, what);
      }
      MPI_Comm_free(&own[t]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Run& one : runs) run.log.insert(run.log.end(), one.log.begin(), one.log.end());
}

}  // namespace

std::vector<Case> thread_cases() { return {{"threads", "two threads, two communicators", two_threads}}; }

}  // namespace suite
