// SPDX-License-Identifier: Apache-2.0
// How long a rank waits before it asks for what has not come: docs/multicast.md, "Eager messages".
#pragma once

#include <algorithm>
#include <cstddef>

namespace trunkline::runtime {

/// Before an ask: where something later has come, so that what is missing is lost; where packets have come, beside the
/// time of so many on the wire; else.
inline constexpr double behind_others_s = 0.002;
inline constexpr double packets_of_patience = 3.0;
inline constexpr double first_ask_s = 0.020;

/// What a late sender hears from each rank: its processor has to live with asks of all of them.
inline constexpr double most_ask_s = 0.050;
[[nodiscard]] constexpr double most_between_asks_s(std::size_t ranks) {
  constexpr double a_rank = 0.001;
  return std::max(most_ask_s, a_rank * static_cast<double>(ranks));
}

}  // namespace trunkline::runtime
