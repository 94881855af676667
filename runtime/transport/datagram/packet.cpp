// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/packet.hpp"

#include <cstring>

namespace trunkline::runtime {
namespace {

constexpr std::size_t kind_at = 4;
constexpr std::size_t format_at = 5;
constexpr std::size_t length_at = 6;
constexpr std::size_t sender_at = 8;
constexpr std::size_t claim_at = 12;
constexpr std::size_t turn_at = 16;
constexpr std::size_t number_at = 24;
constexpr std::size_t poll_at = 28;

/// Of what is written here. Ranks of other formats read none of it.
constexpr std::uint8_t format = 1;

template <class Number>
void put(HeadBytes& bytes, std::size_t at, Number number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
}

template <class Number>
void get(std::span<const std::byte> bytes, std::size_t at, Number& number) {
  std::memcpy(&number, bytes.data() + at, sizeof number);
}

}  // namespace

HeadBytes head_of(const PacketHead& head, std::size_t payload_bytes, const Sealer& sealer) {
  HeadBytes bytes{};
  put(bytes, 0, sealer.mark());
  put(bytes, kind_at, head.kind);
  put(bytes, format_at, format);
  put(bytes, length_at, static_cast<std::uint16_t>(payload_bytes));
  put(bytes, sender_at, head.sender);
  put(bytes, claim_at, head.claim);
  put(bytes, turn_at, head.turn);
  put(bytes, number_at, head.number);
  put(bytes, poll_at, head.poll);
  return bytes;
}

std::optional<std::size_t> packet_length(std::span<const std::byte> bytes) {
  if (bytes.size() < head_bytes) return {};
  std::uint16_t length = 0;
  get(bytes, length_at, length);
  return packet_overhead_bytes + length;
}

std::optional<ReadPacket> read_packet(std::span<const std::byte> bytes, const Sealer& sealer) {
  if (bytes.size() < packet_overhead_bytes || bytes.size() != *packet_length(bytes)) return {};
  if (std::memcmp(bytes.data(), sealer.mark().data(), sizeof(MarkBytes)) != 0) return {};
  HeadBytes head{};
  std::memcpy(head.data(), bytes.data(), head_bytes);
  ReadPacket packet;
  const std::size_t length = bytes.size() - packet_overhead_bytes;
  packet.payload = bytes.subspan(head_bytes, length);
  const SealBytes seal = sealer.seal(head, packet.payload);
  if (std::memcmp(seal.data(), bytes.data() + head_bytes + length, seal_bytes) != 0) return {};
  get(bytes, kind_at, packet.head.kind);
  if (packet.head.kind < PacketKind::data || packet.head.kind > PacketKind::done) return {};
  std::uint8_t its_format = 0;
  get(bytes, format_at, its_format);
  if (its_format != format) return {};
  get(bytes, sender_at, packet.head.sender);
  get(bytes, claim_at, packet.head.claim);
  get(bytes, turn_at, packet.head.turn);
  get(bytes, number_at, packet.head.number);
  get(bytes, poll_at, packet.head.poll);
  return packet;
}

}  // namespace trunkline::runtime
