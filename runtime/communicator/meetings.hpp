// SPDX-License-Identifier: Apache-2.0
// When the ranks of a communicator hear whether the cluster file has changed. All of them count its calls alike, and
// the bytes of their messages: by these they meet, never by a clock, since clocks differ.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace trunkline::runtime {

using MeetingClock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(MeetingClock::time_point start) {
  return std::chrono::duration<double>(MeetingClock::now() - start).count();
}

/// The ranks meet after `calls` calls or `bytes` bytes, whichever comes first. Programs go from short messages to long
/// ones and back.
struct MeetingInterval {
  std::uint64_t calls = 8;
  std::uint64_t bytes = std::uint64_t{1} << 20;
  friend bool operator==(const MeetingInterval&, const MeetingInterval&) = default;
};

/// Calls since the last meeting.
class MeetingCount {
 public:
  /// Before a call. Whether the ranks meet before it.
  [[nodiscard]] bool is_due(std::uint64_t bytes, const MeetingInterval& interval) {
    const bool is_now = calls_ >= interval.calls || bytes_ >= interval.bytes;
    if (!is_now) add(bytes);
    return is_now;
  }

  /// At a meeting: the call that comes is the first of the next interval. Returns what was counted.
  MeetingInterval begin_anew(std::uint64_t bytes) {
    const MeetingInterval counted{.calls = calls_, .bytes = bytes_};
    calls_ = 0;
    bytes_ = 0;
    add(bytes);
    return counted;
  }

 private:
  void add(std::uint64_t bytes) {
    ++calls_;
    bytes_ += std::min(bytes, std::numeric_limits<std::uint64_t>::max() - bytes_);
  }

  std::uint64_t calls_ = 0;
  std::uint64_t bytes_ = 0;
};

/// The interval that takes half a second at the pace of the calls that were counted within `took_s`, or as much longer
/// as it takes a meeting of `cost_s` to cost less than a hundredth, but no longer than five seconds: a rank that had no
/// processor for a while took that for the cost. At most eight times the one before: a few calls one right after
/// another say little of those to come. Where calls become slower the next meeting is later by as much.
[[nodiscard]] inline MeetingInterval next_interval(const MeetingInterval& before, const MeetingInterval& counted,
                                                   double took_s, double cost_s) {
  constexpr double wanted_s = 0.5;
  constexpr double most_cost = 0.01;
  constexpr double longest_s = 5.0;
  constexpr double most_growth = 8.0;
  const double growth = std::clamp(cost_s / most_cost, wanted_s, longest_s) / std::max(took_s, 1e-9);
  const auto grown = [&](std::uint64_t was, std::uint64_t seen) {
    constexpr double most = 1e18;
    const double wanted = std::min(static_cast<double>(seen) * growth, static_cast<double>(was) * most_growth);
    return static_cast<std::uint64_t>(std::clamp(wanted, 1.0, most));
  };
  return {.calls = grown(before.calls, counted.calls), .bytes = grown(before.bytes, counted.bytes)};
}

}  // namespace trunkline::runtime
