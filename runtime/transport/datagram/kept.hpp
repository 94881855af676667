// SPDX-License-Identifier: Apache-2.0
// Eager messages that this rank has sent and left: others may ask for their packets until all ranks have met.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
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
[[nodiscard]] PacketBytes sealed_packet(const PacketHead& head, std::span<const std::byte> payload,
                                        const Sealer& sealer);

class KeptMessages {
 public:
  KeptMessages(const Sealer& sealer, std::uint32_t rank) : sealer_(sealer), rank_(rank) {}

  /// A message, or a part of one, of at most most_eager_packets packets of `payload_bytes`, from number `first` on; an
  /// empty one has one packet.
  void keep(std::uint64_t turn, std::uint32_t claim, std::uint32_t payload_bytes, std::span<const std::byte> message,
            std::uint32_t first = 0);

  void forget() noexcept { messages_.clear(); }

  /// What was kept of calls before that one.
  void forget_before(std::uint64_t turn) noexcept;
  /// What was kept in that call, and begins before packet `before`.
  void forget_of(std::uint64_t turn, std::uint32_t before) noexcept;

  /// What an ask over TCP is answered with: packets, or that the call has not come so far here. Empty for what no rank
  /// asks.
  [[nodiscard]] std::vector<PacketBytes> answers(const ReadPacket& ask) const;

  struct Answer {
    PacketBytes packet;
    bool is_for_all;
  };
  /// What an ask by a datagram is answered with. Of each message, the n-th ask of every rank belongs to round n. In a
  /// round a packet goes to the first rank that asks for it alone, at the second one to all, and then no more: after a
  /// loss near the root all ranks ask at once. For a packet that is lost again ranks ask in the next round.
  [[nodiscard]] std::vector<Answer> answers_in_rounds(const ReadPacket& ask);

 private:
  /// Until which round a packet was sent again.
  struct Repaired {
    std::uint32_t to_one = 0;
    std::uint32_t to_all = 0;
  };
  struct Message {
    std::uint64_t turn;
    std::uint32_t claim;
    std::uint32_t payload_bytes;
    std::uint32_t first;
    std::vector<std::byte> bytes;
    std::array<Repaired, most_eager_packets> repaired{};
    std::map<std::uint32_t, std::uint32_t> asks{};  ///< by rank, how many so far
  };

  [[nodiscard]] static std::uint32_t packets(const Message& message);
  [[nodiscard]] PacketBytes packet(const Message& message, std::uint32_t place) const;
  [[nodiscard]] PacketBytes not_yet(const PacketHead& ask) const;
  Sealer sealer_;
  std::uint32_t rank_;
  std::deque<Message> messages_{};
};

}  // namespace trunkline::runtime
