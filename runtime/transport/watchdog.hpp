// SPDX-License-Identifier: Apache-2.0
// How long a rank waits for others until it looks whether something is wrong.
#pragma once

#include <chrono>
#include <utility>

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
  using Clock = std::chrono::steady_clock;

  /// To be asked after each fruitless look at the awaited; true once in a while, and more often where trouble is known
  /// already. `now` is asked where the time is needed.
  template <class Now>
  [[nodiscard]] bool is_due(bool is_alert, const Now& now) {
    if (++looks_ % looks_between != 0) return false;
    yield_in_turn();
    looked_at_ = now();
    if (std::exchange(has_got_on_, false)) got_on_at_ = looked_at_;
    if (looks_ == looks_between) next_ = looked_at_ + interval;
    if (is_alert) return true;
    if (looked_at_ < next_) return false;
    next_ = looked_at_ + interval;
    return true;
  }
  [[nodiscard]] bool is_due(bool is_alert) { return is_due(is_alert, Clock::now); }

  /// Something that the wait is for has come or was taken, though not all of it.
  void got_on() noexcept { has_got_on_ = true; }

  /// The next look counts for many: the one who looks has slept in between.
  void hurry() noexcept { looks_ |= looks_between - 1; }

  /// So long without anything that somebody should be told. To be asked where is_due() was true.
  static constexpr std::chrono::seconds very_long{10};
  [[nodiscard]] bool is_very_long() const { return looked_at_ - got_on_at_ >= very_long; }

 private:
  static constexpr unsigned looks_between = 64;  ///< a system call costs more than a look
  static constexpr std::chrono::milliseconds interval{300};

  unsigned looks_ = 0;
  bool has_got_on_ = true;  ///< since the last time that the clock was looked at
  Clock::time_point looked_at_{};
  Clock::time_point got_on_at_{};
  Clock::time_point next_{};
};

}  // namespace trunkline::runtime
