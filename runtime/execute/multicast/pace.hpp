// SPDX-License-Identifier: Apache-2.0
// How fast a root sends: docs/multicast.md, "How fast?".
#pragma once

#include <cstddef>

namespace trunkline::runtime {

/// Ahead of the pace: a rank may have to wait for a processor that long, and the link should not. On a machine whose 2
/// processors do the work of 32 ranks, 5 ms are too few.
inline constexpr double lead_s = 0.010;

/// Of a packet, with the preamble, Ethernet's, IPv4's and UDP's headers, ours, FCS and the gap between frames.
[[nodiscard]] constexpr double on_wire_bytes(std::size_t payload_bytes) {
  constexpr double overhead = 38.0 + 28.0 + 40.0;
  return static_cast<double>(payload_bytes) + overhead;
}

}  // namespace trunkline::runtime
