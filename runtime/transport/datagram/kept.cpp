// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/kept.hpp"

#include <algorithm>
#include <cstring>

namespace trunkline::runtime {

PacketBytes sealed_packet(const PacketHead& head, std::span<const std::byte> payload, const Sealer& sealer) {
  const HeadBytes first = head_of(head, payload.size(), sealer);
  const SealBytes last = sealer.seal(first, payload);
  PacketBytes all(packet_overhead_bytes + payload.size());
  std::ranges::copy(first, all.begin());
  std::ranges::copy(payload, all.begin() + head_bytes);
  std::ranges::copy(last, all.end() - seal_bytes);
  return all;
}

void KeptMessages::keep(std::uint64_t turn, std::uint32_t claim, std::uint32_t payload_bytes,
                        std::span<const std::byte> message, std::uint32_t first) {
  messages_.push_back({.turn = turn,
                       .claim = claim,
                       .payload_bytes = payload_bytes,
                       .first = first,
                       .bytes = {message.begin(), message.end()}});
}

void KeptMessages::forget_before(std::uint64_t turn) noexcept {
  std::erase_if(messages_, [&](const Message& one) { return one.turn < turn; });
}

void KeptMessages::forget_of(std::uint64_t turn, std::uint32_t before) noexcept {
  std::erase_if(messages_, [&](const Message& one) { return one.turn == turn && one.first < before; });
}

std::uint32_t KeptMessages::packets(const Message& message) {
  const std::size_t each = message.payload_bytes;
  return std::max(1U, static_cast<std::uint32_t>((message.bytes.size() + each - 1) / each));
}

PacketBytes KeptMessages::packet(const Message& message, std::uint32_t place) const {
  const PacketHead head{.kind = PacketKind::data,
                        .sender = rank_,
                        .claim = message.claim,
                        .turn = message.turn,
                        .number = message.first + place,
                        .poll = 1};
  const auto rest = std::span(message.bytes).subspan(std::size_t{place} * message.payload_bytes);
  return sealed_packet(head, rest.first(std::min<std::size_t>(rest.size(), message.payload_bytes)), sealer_);
}

PacketBytes KeptMessages::not_yet(const PacketHead& ask) const {
  return sealed_packet({.kind = PacketKind::not_yet, .sender = rank_, .claim = ask.claim, .turn = ask.turn}, {},
                       sealer_);
}

namespace {

bool is_ask(const ReadPacket& packet) {
  return packet.head.kind == PacketKind::ask && packet.payload.size() == ask_payload_bytes;
}

/// Whether an ask names that packet.
bool wants(const ReadPacket& ask, std::uint32_t number) {
  constexpr std::uint32_t most_wanted = 64;
  std::uint64_t wanted = 0;
  std::memcpy(&wanted, ask.payload.data(), sizeof wanted);
  const std::uint32_t place = number - ask.head.number;  // vast where it is before
  return place < most_wanted && (wanted >> place & 1U) != 0;
}

}  // namespace

std::vector<PacketBytes> KeptMessages::answers(const ReadPacket& ask) const {
  if (!is_ask(ask)) return {};
  std::vector<PacketBytes> all;
  bool has_any = false;
  for (const Message& message : messages_) {
    if (message.turn != ask.head.turn) continue;
    has_any = has_any || message.claim != ask.head.claim;
    for (std::uint32_t place = 0; place < packets(message); ++place) {
      if (wants(ask, message.first + place)) all.push_back(packet(message, place));
    }
  }
  if (!has_any && all.empty()) all.push_back(not_yet(ask.head));
  return all;
}

std::vector<KeptMessages::Answer> KeptMessages::answers_in_rounds(const ReadPacket& ask) {
  if (!is_ask(ask)) return {};
  std::vector<Answer> all;
  bool has_any = false;
  for (Message& message : messages_) {
    if (message.turn != ask.head.turn) continue;
    has_any = has_any || message.claim != ask.head.claim;
    std::uint32_t round = 0;  // not asked for
    for (std::uint32_t place = 0; place < packets(message); ++place) {
      if (!wants(ask, message.first + place)) continue;
      has_any = true;
      if (round == 0) round = ++message.asks[ask.head.sender];
      Repaired& repaired = message.repaired.at(place);
      if (repaired.to_all >= round) continue;
      const bool is_for_all = repaired.to_one >= round;
      (is_for_all ? repaired.to_all : repaired.to_one) = round;
      all.push_back({.packet = packet(message, place), .is_for_all = is_for_all});
    }
  }
  if (!has_any) all.push_back({.packet = not_yet(ask.head), .is_for_all = false});
  return all;
}

}  // namespace trunkline::runtime
