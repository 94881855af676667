// SPDX-License-Identifier: Apache-2.0
// What Ethernet and UDP make of a message that goes to a group (docs/multicast.md, Packets and Eager messages).
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/transfer/wire.hpp"

namespace trunkline {

inline constexpr std::uint64_t datagram_payload_bytes = 1432;  ///< of the message in a full frame at an MTU of 1500
inline constexpr std::uint64_t datagram_overhead_bytes = frame_wire_bytes - datagram_payload_bytes;

/// Of a message whose sender leaves once it has sent it, at most: as runtime/transport/datagram/group_opening.cpp has
/// it.
inline constexpr std::uint64_t most_eager_bytes = 8192;

/// Datagrams that carry a message; an empty one takes one as well.
[[nodiscard]] constexpr std::uint64_t datagrams_of(std::uint64_t bytes) {
  return bytes == 0 ? 1 : pieces_of(bytes, datagram_payload_bytes);
}

/// Bytes on the wire of all of them.
[[nodiscard]] constexpr std::uint64_t datagram_wire_bytes(std::uint64_t bytes) {
  return bytes + datagrams_of(bytes) * datagram_overhead_bytes;
}

/// The longest message whose root leaves once it has sent it, in frames of 1500 bytes.
inline constexpr std::uint64_t most_eager_datagrams = 6;
[[nodiscard]] constexpr bool is_eager_multicast(std::uint64_t bytes) {
  return datagrams_of(bytes) <= most_eager_datagrams;
}

/// Datagrams in a piece of a share where `ranks` ranks send by turns, as runtime/execute/multicast/turns.cpp cuts them
/// at the kernel's usual limits of socket buffers.
[[nodiscard]] constexpr std::uint64_t piece_datagrams(std::uint64_t ranks) {
  constexpr std::uint64_t usual_burst = 92;
  return std::clamp(usual_burst / ranks, std::uint64_t{1}, most_eager_datagrams);
}

/// Calls from one meeting of all ranks to the next, at the kernel's usual limits of socket buffers.
inline constexpr std::uint64_t calls_between_meetings = 15;

}  // namespace trunkline
