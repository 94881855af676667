// SPDX-License-Identifier: Apache-2.0
// MPI_THREAD_MULTIPLE: threads that broadcast at the same time, each on a communicator of its own.
#include <chrono>
#include <string>
#include <thread>

#include "suite.hpp"

namespace suite {
namespace {

/// In turn: rank 0's second thread begins when its first one is done.
void two_threads(Run& run, bool in_turn) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) return;
  std::vector<MPI_Comm> own(2, MPI_COMM_NULL);
  for (MPI_Comm& communicator : own) MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  std::vector<Run> runs(2, run);
  std::vector<std::thread> threads;
  threads.reserve(2);
  for (std::size_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      if (in_turn && t == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the others are in theirs
      if (in_turn && run.rank == 0 && t == 1) threads[0].join();
      for (int turn = 0; turn < 8; ++turn) {
        const std::string what = "thread " + std::to_string(t) + ", turn " + std::to_string(turn);
        const std::uint64_t bytes = 900 + 317 * static_cast<unsigned>(turn) + 1000 * t;
        broadcast_bytes(runs[t], bytes, (turn + static_cast<int>(t)) % run.ranks, own[t], what);
        runs[t].expect_ran(run.ranks > 1, what);
      }
      MPI_Comm_free(&own[t]);
    });
  }
  threads[1].join();
  if (threads[0].joinable()) threads[0].join();
  for (const Run& one : runs) run.log.insert(run.log.end(), one.log.begin(), one.log.end());
}

void at_once(Run& run) { two_threads(run, false); }

/// The first call of the other ranks' second threads is under way all the time, which must not keep those of the first
/// threads from being accelerated.
void one_after_the_other(Run& run) { two_threads(run, true); }

}  // namespace

std::vector<Case> thread_cases() {
  return {{"threads", "two threads, two communicators", at_once},
          {"threads", "one thread after the other on one rank", one_after_the_other}};
}

}  // namespace suite
