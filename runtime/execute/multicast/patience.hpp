// SPDX-License-Identifier: Apache-2.0
// How long a rank waits before it asks for what has not come: docs/multicast.md, "Eager messages".
#pragma once

#include <algorithm>
#include <cstddef>

#include "execute/multicast/pace.hpp"

namespace trunkline::runtime {

/// Before an ask: where something later has come, so that what is missing is lost; where packets have come, beside the
/// time of so many on the wire; else.
inline constexpr double behind_others_s = 0.002;
inline constexpr double packets_of_patience = 3.0;
inline constexpr double first_ask_s = 0.020;
[[nodiscard]] constexpr double between_packets_s(std::size_t payload_bytes, double byte_s) {
  return behind_others_s + packets_of_patience * on_wire_bytes(payload_bytes) * byte_s;
}

/// What a late sender hears from each rank: its processor has to live with asks of all of them.
inline constexpr double most_ask_s = 0.050;
[[nodiscard]] constexpr double most_between_asks_s(std::size_t ranks) {
  constexpr double a_rank = 0.001;
  return std::max(most_ask_s, a_rank * static_cast<double>(ranks));
}

/// Before the next ask: what the last one asked for has to come.
[[nodiscard]] constexpr double next_patience_s(double last_s, double between_packets_s, double most_s) {
  return std::max(between_packets_s, std::min(2.0 * last_s, most_s));
}

}  // namespace trunkline::runtime
