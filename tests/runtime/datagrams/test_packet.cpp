// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "transport/datagram/packet.hpp"

namespace trunkline::runtime {
namespace {

std::vector<std::byte> counting(std::size_t bytes) {
  std::vector<std::byte> all(bytes);
  for (std::size_t i = 0; i < bytes; ++i) all[i] = static_cast<std::byte>(i);
  return all;
}

std::vector<std::byte> packet_of(const PacketHead& head, const std::vector<std::byte>& payload, const Key& key) {
  const HeadBytes bytes = head_of(head, payload.size(), key);
  const SealBytes seal = seal_of(bytes, payload, key);
  std::vector<std::byte> all(packet_overhead_bytes + payload.size());
  std::ranges::copy(bytes, all.begin());
  std::ranges::copy(payload, all.begin() + head_bytes);
  std::ranges::copy(seal, all.end() - seal_bytes);
  return all;
}

constexpr Key key{0x0706050403020100U, 0x0F0E0D0C0B0A0908U};

/// The vectors of the paper's authors: the key is 0, 1, ..., 15, the message 0, 1, ... of that many bytes.
TEST(SipHash, IsWhatItsAuthorsSay) {
  EXPECT_EQ(SipHash(key).end(counting(0)), 0x726FDB47DD0E0E31U);
  EXPECT_EQ(SipHash(key).end(counting(1)), 0x74F839C593DC67FDU);
  EXPECT_EQ(SipHash(key).end(counting(8)), 0x93F5F5799A932462U);
  EXPECT_EQ(SipHash(key).end(counting(15)), 0xA129CA6149BE45E5U);
}

TEST(SipHash, TakesItsBytesInPieces) {
  const std::vector<std::byte> all = counting(40);
  SipHash pieces(key);
  pieces.take(std::span(all).first(32));
  EXPECT_EQ(pieces.end(std::span(all).subspan(32)), SipHash(key).end(all));
}

RC_GTEST_PROP(Packet, ComesBackAsItWas, ()) {
  const PacketHead head{.kind = *rc::gen::element(PacketKind::data, PacketKind::poll, PacketKind::report),
                        .sender = *rc::gen::arbitrary<std::uint32_t>(),
                        .claim = *rc::gen::arbitrary<std::uint32_t>(),
                        .turn = *rc::gen::arbitrary<std::uint64_t>(),
                        .number = *rc::gen::arbitrary<std::uint32_t>(),
                        .poll = *rc::gen::arbitrary<std::uint32_t>()};
  const std::vector<std::byte> payload = counting(*rc::gen::inRange<std::size_t>(0, 1500));
  const std::vector<std::byte> bytes = packet_of(head, payload, key);
  const auto read = read_packet(bytes, key);
  RC_ASSERT(read.has_value());
  RC_ASSERT(read->head.kind == head.kind);
  RC_ASSERT(read->head.sender == head.sender);
  RC_ASSERT(read->head.claim == head.claim);
  RC_ASSERT(read->head.turn == head.turn);
  RC_ASSERT(read->head.number == head.number);
  RC_ASSERT(read->head.poll == head.poll);
  RC_ASSERT(std::vector<std::byte>(read->payload.begin(), read->payload.end()) == payload);
}

/// Forged, cut, lengthened, or with any bit turned.
RC_GTEST_PROP(Packet, IsRefusedWhereAnythingIsNotAsItWas, ()) {
  std::vector<std::byte> bytes = packet_of({.number = 3}, counting(*rc::gen::inRange<std::size_t>(0, 100)), key);
  const std::size_t place = *rc::gen::inRange<std::size_t>(0, bytes.size());
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      bytes[place] ^= std::byte{1} << *rc::gen::inRange(0, 8);
      break;
    case 1:
      bytes.resize(place);
      break;
    case 2:
      bytes.resize(bytes.size() + 1 + place);
      break;
    default:
      RC_ASSERT(!read_packet(bytes, Key{key[0], key[1] ^ 1U}).has_value());
      return;
  }
  RC_ASSERT(!read_packet(bytes, key).has_value());
}

TEST(Packet, OfAnUnknownKindIsRefused) {
  EXPECT_FALSE(read_packet(packet_of({.kind = static_cast<PacketKind>(0)}, {}, key), key).has_value());
  EXPECT_FALSE(read_packet(packet_of({.kind = static_cast<PacketKind>(10)}, {}, key), key).has_value());
}

}  // namespace
}  // namespace trunkline::runtime
