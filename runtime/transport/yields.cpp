// SPDX-License-Identifier: Apache-2.0
#include "transport/yields.hpp"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace trunkline::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Linux gives slices of 0.7 ms and more.
constexpr std::chrono::microseconds slice(500);
/// To find out that a machine is still busy costs a slice or some.
constexpr std::chrono::seconds between_trials(1);

constinit std::atomic<Processors> processors = Processors::unknown;

/// How often this thread has gone to sleep.
long sleeps() noexcept {
  rusage used{};
  return getrusage(RUSAGE_THREAD, &used) == 0 ? used.ru_nvcsw : 0;
}

thread_local constinit Clock::time_point keeps_until __attribute__((tls_model("initial-exec"))){};

}  // namespace

void share_processors(Processors how) noexcept { processors.store(how, std::memory_order_relaxed); }

void yield_in_turn() noexcept {
  const Processors how = processors.load(std::memory_order_relaxed);
  if (how == Processors::enough) return;
  if (how == Processors::shared) return std::this_thread::yield();
  const Clock::time_point before = Clock::now();
  if (before < keeps_until) return;
  const long slept = sleeps();
  std::this_thread::yield();
  const Clock::time_point after = Clock::now();
  // A yield that sleeps stands for the system's, such as the lab's.
  if (after - before >= slice && sleeps() == slept) keeps_until = after + between_trials;
}

}  // namespace trunkline::runtime
