// SPDX-License-Identifier: Apache-2.0
#include "one_way_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trunkline::measure {
namespace {

constexpr double one_in = 20.0;  ///< so often the error is larger
constexpr std::size_t most_next = 5;
constexpr double reading_s = 1e-6;  ///< what reading clocks costs, at most

OneWayTimes unknown(ClockFault fault, bool first, bool second) {
  return {.fault = fault, .at_fault = static_cast<std::uint8_t>((first ? 1U : 0U) | (second ? 2U : 0U))};
}

}  // namespace

double error_of_least(std::span<const double> samples) {
  if (samples.size() < 2) return std::numeric_limits<double>::infinity();
  const std::size_t next = std::min(most_next, samples.size() - 1);
  std::vector<double> least(next + 1);
  std::ranges::partial_sort_copy(samples, least);
  return (std::pow(one_in, 1.0 / static_cast<double>(next)) - 1.0) * (least.back() - least.front());
}

OneWayTimes one_way_times(const OneWaySamples& samples, const ClockCard (&cards)[2]) {
  const auto& [first, second] = cards;
  if (first.was_set != 0 || second.was_set != 0) {
    return unknown(ClockFault::was_set, first.was_set != 0, second.was_set != 0);
  }
  const bool is_one = is_one_clock(first, second);
  if (!is_one) {
    if (first.is_told == 0 || second.is_told == 0) {
      return unknown(ClockFault::not_told, first.is_told == 0, second.is_told == 0);
    }
    if (first.is_synced == 0 || second.is_synced == 0) {
      return unknown(ClockFault::not_synced, first.is_synced == 0, second.is_synced == 0);
    }
  }
  if (samples.there_s.size() < 2 || samples.back_s.size() < 2) return unknown(ClockFault::few_samples, false, false);
  const double clocks_s = is_one ? 0.0 : first.most_s + second.most_s;
  const double waiting_s = std::max(error_of_least(samples.there_s), error_of_least(samples.back_s));
  const OneWayTimes times{.fault = ClockFault::none,
                          .seconds = {std::ranges::min(samples.there_s), std::ranges::min(samples.back_s)},
                          .error_s = clocks_s + waiting_s + reading_s};
  if (std::min(times.seconds[0], times.seconds[1]) < -times.error_s) {
    return unknown(ClockFault::impossible, true, true);
  }
  return times;
}

}  // namespace trunkline::measure
