// SPDX-License-Identifier: Apache-2.0
// Datagrams as bytes: docs/multicast.md has the table. Whatever comes from the network is read here, and nowhere else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "transport/datagram/sealer.hpp"

namespace trunkline::runtime {

enum class PacketKind : std::uint8_t {
  data = 1,
  poll = 2,
  report = 3,
  probe = 4,
  answer = 5,
  ask = 6,
  not_yet = 7,
  parity = 8,
  done = 9
};

/// Of a call's own, which its ranks tell each other.
[[nodiscard]] constexpr bool is_of_call(PacketKind kind) {
  return kind <= PacketKind::report || kind == PacketKind::parity || kind == PacketKind::done;
}

struct PacketHead {
  PacketKind kind = PacketKind::data;
  std::uint32_t sender = 0;  ///< its rank on the communicator
  std::uint32_t claim = 0;   ///< a digest of what the call is taken for
  std::uint64_t turn = 0;    ///< how many calls came before
  std::uint32_t number = 0;
  std::uint32_t poll = 0;
};

inline constexpr std::size_t packet_overhead_bytes = head_bytes + seal_bytes;

[[nodiscard]] HeadBytes head_of(const PacketHead& head, std::size_t payload_bytes, const Sealer& sealer);

struct ReadPacket {
  PacketHead head{};
  std::span<const std::byte> payload{};  ///< within what was read
};

/// Of a packet whose first bytes these are, head and seal included; empty where they do not say yet.
[[nodiscard]] std::optional<std::size_t> packet_length(std::span<const std::byte> bytes);

/// Empty where it is not whole, of another length than it says, of another format or no known kind, or not sealed so.
[[nodiscard]] std::optional<ReadPacket> read_packet(std::span<const std::byte> bytes, const Sealer& sealer);

}  // namespace trunkline::runtime
