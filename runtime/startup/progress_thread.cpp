// SPDX-License-Identifier: Apache-2.0
#include "startup/progress_thread.hpp"

#include <algorithm>
#include <chrono>

#include "transport/no_signals.hpp"

namespace trunkline::runtime {
namespace {

constexpr std::chrono::milliseconds longest_rest(1);
/// Linux takes that much longer over each rest of a thread that has not asked for less.
constexpr std::chrono::microseconds shortest_rest(50);

std::thread without_signals(auto run) {
  const NoSignals none;
  return std::thread(run);
}

}  // namespace

ProgressThread::ProgressThread(GoOn* go_on) : go_on_(go_on), thread_(without_signals([this] { run(); })) {}

void ProgressThread::end() {
  state_ = State::ends;
  state_.notify_one();
  thread_.join();
}

void ProgressThread::work(bool has_any) noexcept {
  State before = has_any ? State::rests : State::works;
  const State next = has_any ? State::works : State::rests;
  if (state_.compare_exchange_strong(before, next)) state_.notify_one();
}

void ProgressThread::run() noexcept {
  while (true) {
    state_.wait(State::rests);
    if (state_ == State::ends) return;
    arrivals_.listen();
    const Clock::time_point before = Clock::now();
    const std::optional<int> got_on = go_on_();
    rest_after(Clock::now() - before, got_on.has_value(), got_on.value_or(0) > 0);
  }
}

void ProgressThread::rest_after(Clock::duration look, bool is_at_it, bool got_on) noexcept {
  if (!is_at_it) return std::this_thread::sleep_for(longest_rest);  // who is waits in MPI, and does without it
  std::this_thread::sleep_for(std::min<Clock::duration>(look, longest_rest));
  if (arrivals_.wait(quiet_) || got_on) {
    quiet_ = shortest_rest;
  } else {
    quiet_ = std::min<Clock::duration>(2 * std::max<Clock::duration>(quiet_, shortest_rest), longest_rest);
  }
}

}  // namespace trunkline::runtime
