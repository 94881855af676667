// SPDX-License-Identifier: Apache-2.0
// How long messages take one way between two hosts, by their clocks, and how well that is known.
//
// A message that leaves at s by one clock and comes at r by the other shows r - s: its way, and how far the clocks are
// apart. The least of several is the way without waiting. Both ways' sum is free of the clocks; their difference is
// known no better than these.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host_clock.hpp"

namespace trunkline::measure {

/// Why one-way times are not known.
enum class ClockFault : std::uint8_t {
  none,
  not_told,     ///< the kernel tells nothing of its clock
  not_synced,   ///< nobody keeps the clock
  was_set,      ///< it jumped meanwhile
  impossible,   ///< a message came before it left, by more than the clocks are said to be off
  few_samples,  ///< one sample, which shows nothing of its error
};

struct OneWayTimes {
  ClockFault fault = ClockFault::few_samples;
  std::uint8_t at_fault = 0;  ///< the first host: bit 0; the second: bit 1
  double seconds[2] = {};     ///< from the first to the second, and back
  double error_s = 0.0;       ///< of each, at most
};

/// What two hosts saw of messages between them: arrival less departure, each by the clock of the host where it was.
struct OneWaySamples {
  std::vector<double> there_s{};
  std::vector<double> back_s{};
};

/// By how much the least of some samples is above the least that is possible, with 95 %. Near its end a density is
/// nearly even, so the smallest samples lie there as the first events of a Poisson process do: the first one is above
/// the end by less than (20^(1/k) - 1) times what the k-th after it is above the first (for k = 1: Robson and Whitlock,
/// 1964). k is 5, or as many as there are; one sample says nothing (infinite).
[[nodiscard]] double error_of_least(std::span<const double> samples);

/// `cards`: of both hosts, over the time of all samples.
[[nodiscard]] OneWayTimes one_way_times(const OneWaySamples& samples, const ClockCard (&cards)[2]);

}  // namespace trunkline::measure
