// SPDX-License-Identifier: Apache-2.0
#include "transport/yields.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace {

std::atomic<int> yields = 0;
std::function<void()> meanwhile{};

/// That this thread has had of a processor.
double processor_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void run_for(double seconds) {
  for (const double end = processor_s() + seconds; processor_s() < end;) {
  }
}

}  // namespace

/// The library's calls come here.
extern "C" int sched_yield() noexcept {
  ++yields;
  if (meanwhile) meanwhile();
  return 0;
}

namespace trunkline::runtime {
namespace {

/// Yields of a new thread, of so many calls.
int yields_of(int calls, std::function<void()> runs = {}) {
  yields = 0;
  meanwhile = std::move(runs);
  std::thread([&] {
    for (int i = 0; i < calls; ++i) yield_in_turn();
  }).join();
  return yields;
}

TEST(Yields, AreForRanksThatShareProcessors) {
  share_processors(Processors::shared);
  EXPECT_EQ(yields_of(100), 100);
  EXPECT_EQ(yields_of(20, [] { run_for(0.001); }), 20);
  share_processors(Processors::enough);
  EXPECT_EQ(yields_of(100), 0);
  share_processors(Processors::unknown);
}

TEST(Yields, EndWhereAnotherProgramTakesTheProcessorForASlice) {
  EXPECT_EQ(yields_of(100, [] { run_for(0.001); }), 1);
}

TEST(Yields, GoOnWhereTheySleep) {
  EXPECT_EQ(yields_of(20, [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }), 20);
}

}  // namespace
}  // namespace trunkline::runtime
