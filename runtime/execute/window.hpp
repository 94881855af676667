// SPDX-License-Identifier: Apache-2.0
// How much of a message is under way at once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "decide/wish.hpp"
#include "plan/in_flight.hpp"

namespace trunkline::runtime {

/// Whether segment `segment` of `segments` goes by a synchronous send. An ordinary one may complete before the receiver
/// has asked for it; a synchronous one twice a window keeps a receiver that is late from piling up more than a window
/// and a half.
[[nodiscard]] constexpr bool is_synchronous(std::uint64_t segment, std::uint64_t segments, std::uint64_t window) {
  return (segment + 1) % ((window + 1) / 2) == 0 && segments > window;
}

/// What a message of that many bytes is cut into, bytes; at least 1.
[[nodiscard]] constexpr std::uint64_t usable_segment(std::uint64_t segment_bytes, std::uint64_t message_bytes) {
  return std::clamp(message_bytes, std::uint64_t{1}, std::min(segment_bytes, longest_segment));
}

}  // namespace trunkline::runtime
