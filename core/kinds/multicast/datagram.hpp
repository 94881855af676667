// SPDX-License-Identifier: Apache-2.0
// What Ethernet and UDP make of a message that goes to a group (docs/multicast.md, Packets).
#pragma once

#include <cstdint>

#include "model/transfer/wire.hpp"

namespace trunkline {

inline constexpr std::uint64_t datagram_payload_bytes = 1432;  ///< of the message in a full frame at an MTU of 1500
inline constexpr std::uint64_t datagram_overhead_bytes = frame_wire_bytes - datagram_payload_bytes;

/// Datagrams that carry a message; an empty one takes one as well.
[[nodiscard]] constexpr std::uint64_t datagrams_of(std::uint64_t bytes) {
  return bytes == 0 ? 1 : pieces_of(bytes, datagram_payload_bytes);
}

/// Bytes on the wire of all of them.
[[nodiscard]] constexpr std::uint64_t datagram_wire_bytes(std::uint64_t bytes) {
  return bytes + datagrams_of(bytes) * datagram_overhead_bytes;
}

}  // namespace trunkline
