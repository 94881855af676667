// SPDX-License-Identifier: Apache-2.0
// How long a rank waits for others until it looks whether something is wrong.
#pragma once

#include <chrono>

#include "transport/yields.hpp"

namespace trunkline::runtime {

/// In a simulation nothing is polled: each look would take simulated time.
#ifdef TRUNKLINE_SIMULATED
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

/// One wait. A late rank is no fault: a look that finds nothing is followed by more waiting. MPICH polls without ever
/// yielding; where there are more ranks than processors, a rank that waits must let those run that it waits for.
class Watchdog {
 public:
  /// To be asked after each fruitless look at the awaited; true once in a while, and more often where trouble is known
  /// already.
  [[nodiscard]] bool is_due(bool is_alert) {
    if (++looks_ % looks_between != 0) return false;
    yield_in_turn();
    if (looks_ == looks_between) begin_ = Clock::now();
    if (is_alert) return true;
    const Clock::time_point now = Clock::now();
    if (looks_ == looks_between) next_ = now + interval;
    if (now < next_) return false;
    next_ = now + interval;
    return true;
  }

  /// The next look counts for many: the one who looks has slept in between.
  void hurry() noexcept { looks_ |= looks_between - 1; }

  /// So long that somebody should be told. To be asked where is_due() was true.
  static constexpr std::chrono::seconds very_long{10};
  [[nodiscard]] bool is_very_long() const { return Clock::now() - begin_ >= very_long; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr unsigned looks_between = 64;  ///< a system call costs more than a look
  static constexpr std::chrono::milliseconds interval{300};

  unsigned looks_ = 0;
  Clock::time_point begin_{};
  Clock::time_point next_{};
};

}  // namespace trunkline::runtime
