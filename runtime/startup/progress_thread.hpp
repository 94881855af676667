// SPDX-License-Identifier: Apache-2.0
// A thread of ours that goes on with calls that do not block, while the program computes and calls nothing of MPI's
// (TRUNKLINE_PROGRESS=thread).
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "startup/arrivals.hpp"

namespace trunkline::runtime {

/// It sleeps while nothing is under way. Else it sleeps after each look for as long as that took, and then until
/// something arrives at a socket of this process: at most a millisecond, since what comes through memory is not heard
/// so. Some looks after an arrival come sooner, since a look may leave part of it where it is.
class ProgressThread {
 public:
  /// Returns how much got on; empty: another thread is at it.
  using GoOn = std::optional<int>();

  /// Starts it; it takes none of the program's signals but those of its own faults. Throws std::system_error.
  explicit ProgressThread(GoOn* go_on);
  /// After end().
  ~ProgressThread() = default;
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  /// Whether there is anything to go on with from now on.
  void work(bool has_any) noexcept;

  /// Waits for the end of its look.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  enum class State : int { rests, works, ends };
  void run() noexcept;
  void rest_after(Clock::duration look, bool is_at_it, bool got_on) noexcept;

  GoOn* go_on_;
  std::atomic<State> state_ = State::rests;
  Arrivals arrivals_{};
  Clock::duration quiet_{};  ///< how long it waits for the next arrival: longer each time that none comes
  std::thread thread_;
};

}  // namespace trunkline::runtime
