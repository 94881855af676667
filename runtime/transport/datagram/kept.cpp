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
                        std::span<const std::byte> message) {
  messages_.push_back(
      {.turn = turn, .claim = claim, .payload_bytes = payload_bytes, .bytes = {message.begin(), message.end()}});
}

std::vector<PacketBytes> KeptMessages::answers(const ReadPacket& ask) const {
  if (ask.head.kind != PacketKind::ask || ask.payload.size() != ask_payload_bytes) return {};
  std::uint64_t wanted = 0;
  std::memcpy(&wanted, ask.payload.data(), sizeof wanted);
  PacketHead head{.kind = PacketKind::not_yet, .sender = rank_, .claim = ask.head.claim, .turn = ask.head.turn};
  const auto message = std::ranges::find(messages_, ask.head.turn, &Message::turn);
  if (message == messages_.end()) return {sealed_packet(head, {}, key_)};
  head.kind = PacketKind::data;
  head.claim = message->claim;
  head.poll = 1;
  std::vector<PacketBytes> all;
  std::span<const std::byte> rest = message->bytes;
  for (; !rest.empty() && head.number < most_eager_packets; ++head.number) {
    const std::size_t length = std::min<std::size_t>(rest.size(), message->payload_bytes);
    if ((wanted >> head.number & 1U) != 0) all.push_back(sealed_packet(head, rest.first(length), key_));
    rest = rest.subspan(length);
  }
  return all;
}

}  // namespace trunkline::runtime
