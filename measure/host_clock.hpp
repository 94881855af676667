// SPDX-License-Identifier: Apache-2.0
// The clock of this host: what the kernel says of it, and whether somebody sets it while it is used.
#pragma once

#include <cstdint>
#include <limits>

namespace trunkline::measure {

/// What hosts tell each other of their clocks. Trivial, so it goes through MPI as bytes.
struct ClockCard {
  char boot[40] = "";          ///< the kernel's boot id; the same for all hosts of a lab
  std::int32_t is_told = 0;    ///< 0: the kernel tells nothing of its clock
  std::int32_t is_synced = 0;  ///< 0: nobody keeps it (STA_UNSYNC)
  std::int32_t was_set = 0;    ///< 1: it jumped while it was used
  std::int32_t unused = 0;
  double most_s = 0.0;            ///< at most so far from the true time (maxerror)
  std::int64_t apart_ns[2] = {};  ///< between these its wall clock is ahead of its monotonic one
};

/// Whether hosts have one kernel, and so one clock: its boot id, and both its clocks as far from each other, which
/// machines that were copied while they ran lose as soon as their clocks are set.
[[nodiscard]] bool is_one_clock(const ClockCard& one, const ClockCard& other);

/// The wall clock, whose jumps it sees: whatever keeps clocks slows or hastens the wall clock and the monotonic one
/// alike, and only a wall clock that is set moves away from the other.
class WatchedClock {
 public:
  /// Nanoseconds since 1970.
  std::int64_t now();

  /// A look at the wall clock between two at the monotonic one, nanoseconds.
  void seen(std::int64_t before, std::int64_t wall, std::int64_t after) {
    least_apart_ = wall - after > least_apart_ ? wall - after : least_apart_;
    most_apart_ = wall - before < most_apart_ ? wall - before : most_apart_;
  }

  [[nodiscard]] std::int64_t least_apart_ns() const { return least_apart_; }
  [[nodiscard]] std::int64_t most_apart_ns() const { return most_apart_; }

  /// Whether no one distance between both clocks fits all looks.
  [[nodiscard]] bool was_set() const { return least_apart_ > most_apart_ + rounding_ns; }

  static constexpr std::int64_t rounding_ns = 1000;

 private:
  std::int64_t least_apart_ = std::numeric_limits<std::int64_t>::min() / 2;
  std::int64_t most_apart_ = std::numeric_limits<std::int64_t>::max() / 2;
};

/// Of two cards of a host, one before the other, what holds for all the time between.
[[nodiscard]] ClockCard worse_of(ClockCard before, const ClockCard& after);

/// What the kernel says now; whether the clock was set, as its watch saw it.
[[nodiscard]] ClockCard clock_card(const WatchedClock& clock);

}  // namespace trunkline::measure
