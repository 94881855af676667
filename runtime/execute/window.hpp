// SPDX-License-Identifier: Apache-2.0
// How much of a message is under way at once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "decide/wish.hpp"
#include "plan/in_flight.hpp"

namespace trunkline::runtime {

/// Enough under way to keep the links busy over a round trip (`in_flight` of plan/in_flight.hpp). A broadcast
/// takes twice that in memory, or four segments where those are more; each of several trees by turns at least as many.
inline constexpr std::uint64_t least_window = 2;
inline constexpr std::uint64_t most_window = 32;     ///< where the least is under way
inline constexpr std::uint64_t widest_window = 128;  ///< however much is

/// Segments of that many bytes.
[[nodiscard]] constexpr std::uint64_t window_of(std::uint64_t segment_bytes, std::uint64_t in_flight_bytes) {
  const std::uint64_t most = in_flight_bytes > least_in_flight_bytes ? widest_window : most_window;
  return std::clamp(in_flight_bytes / segment_bytes, least_window, most);
}

/// Whether a segment of so many goes by a synchronous send. An ordinary one may complete before the receiver has asked
/// for it; a synchronous one twice a window keeps a receiver that is late from piling up more than a window and a half.
[[nodiscard]] constexpr bool is_synchronous(std::uint64_t segment, std::uint64_t segments, std::uint64_t window) {
  return (segment + 1) % ((window + 1) / 2) == 0 && segments > window;
}

/// What a message of that many bytes is cut into, bytes; at least 1.
[[nodiscard]] constexpr std::uint64_t usable_segment(std::uint64_t segment_bytes, std::uint64_t message_bytes) {
  return std::clamp(message_bytes, std::uint64_t{1}, std::min(segment_bytes, longest_segment));
}

}  // namespace trunkline::runtime
