// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/kept.hpp"

#include <algorithm>
#include <cstring>

namespace trunkline::runtime {

PacketBytes sealed_packet(const PacketHead& head, std::span<const std::byte> payload, const Key& key) {
  const HeadBytes first = head_of(head, payload.size());
  const SealBytes last = seal_of(first, payload, key);
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

void KeptMessages::forget_before(std::uint64_t turn, std::uint32_t first) noexcept {
  std::erase_if(messages_,
                [&](const Message& one) { return one.turn < turn || (one.turn == turn && one.first < first); });
}

std::vector<PacketBytes> KeptMessages::answers(const ReadPacket& ask) const {
  if (ask.head.kind != PacketKind::ask || ask.payload.size() != ask_payload_bytes) return {};
  std::uint64_t wanted = 0;
  std::memcpy(&wanted, ask.payload.data(), sizeof wanted);
  constexpr std::uint32_t most_wanted = 64;
  std::vector<PacketBytes> all;
  bool has_any = false;
  for (const Message& message : messages_) {
    if (message.turn != ask.head.turn) continue;
    PacketHead head{.kind = PacketKind::data,
                    .sender = rank_,
                    .claim = message.claim,
                    .turn = message.turn,
                    .number = message.first,
                    .poll = 1};
    std::span<const std::byte> rest = message.bytes;
    do {
      const std::size_t length = std::min<std::size_t>(rest.size(), message.payload_bytes);
      const std::uint32_t place = head.number - ask.head.number;  // vast where it is before
      const bool is_wanted = place < most_wanted && (wanted >> place & 1U) != 0;
      has_any = has_any || is_wanted || message.claim != ask.head.claim;
      if (is_wanted) all.push_back(sealed_packet(head, rest.first(length), key_));
      rest = rest.subspan(length);
      ++head.number;
    } while (!rest.empty());
  }
  if (!has_any) {
    const PacketHead head{.kind = PacketKind::not_yet, .sender = rank_, .claim = ask.head.claim, .turn = ask.head.turn};
    all.push_back(sealed_packet(head, {}, key_));
  }
  return all;
}

}  // namespace trunkline::runtime
