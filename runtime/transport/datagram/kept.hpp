// SPDX-License-Identifier: Apache-2.0
// Eager messages that this rank has sent and left: others may ask for their packets until all ranks have met.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "transport/datagram/packet.hpp"

namespace trunkline::runtime {

/// Packets of an eager message at most: an ask has a bit for each.
inline constexpr std::uint32_t most_eager_packets = 8;

/// Bytes of an ask, with head and seal: its payload has a bit for each packet that is wanted.
inline constexpr std::size_t ask_payload_bytes = sizeof(std::uint64_t);
inline constexpr std::size_t ask_bytes = packet_overhead_bytes + ask_payload_bytes;

using PacketBytes = std::vector<std::byte>;

/// Head, payload and seal.
[[nodiscard]] PacketBytes sealed_packet(const PacketHead& head, std::span<const std::byte> payload, const Key& key);

class KeptMessages {
 public:
  KeptMessages(const Key& key, std::uint32_t rank) : key_(key), rank_(rank) {}

  /// A message, or a part of one, of at most most_eager_packets packets of `payload_bytes`, from number `first` on; an
  /// empty one has one packet.
  void keep(std::uint64_t turn, std::uint32_t claim, std::uint32_t payload_bytes, std::span<const std::byte> message,
            std::uint32_t first = 0);

  void forget() noexcept { messages_.clear(); }

  /// What was kept of calls before that one, and in it what begins before packet `first`.
  void forget_before(std::uint64_t turn, std::uint32_t first) noexcept;

  /// What an ask is answered with: packets, or that the call has not come so far here. Empty for what no rank asks.
  [[nodiscard]] std::vector<PacketBytes> answers(const ReadPacket& ask) const;

 private:
  struct Message {
    std::uint64_t turn;
    std::uint32_t claim;
    std::uint32_t payload_bytes;
    std::uint32_t first;
    std::vector<std::byte> bytes;
  };
  Key key_;
  std::uint32_t rank_;
  std::deque<Message> messages_{};
};

}  // namespace trunkline::runtime
