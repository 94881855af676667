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

std::vector<std::byte> packet_of(const PacketHead& head, const std::vector<std::byte>& payload, const Sealer& sealer) {
  const HeadBytes bytes = head_of(head, payload.size(), sealer);
  const SealBytes seal = sealer.seal(bytes, payload);
  std::vector<std::byte> all(packet_overhead_bytes + payload.size());
  std::ranges::copy(bytes, all.begin());
  std::ranges::copy(payload, all.begin() + head_bytes);
  std::ranges::copy(seal, all.end() - seal_bytes);
  return all;
}

constexpr Key key{0x0706050403020100U, 0x0F0E0D0C0B0A0908U};
const Sealer sealer(key);

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

RC_GTEST_PROP(Nh, MultipliesByHalvesAsByWholes, ()) {
  const auto word = rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(),
                                   rc::gen::element<std::uint64_t>(0, 1, 0xFFFFFFFF, 1ULL << 32U, ~0ULL));
  const std::uint64_t one = *word;
  const std::uint64_t other = *word;
  RC_ASSERT(product_by_halves(one, other) == product(one, other));
  // By the remainders of two numbers without a common factor, of which one is 2^64.
  const std::uint64_t prime = 0xFFFFFFFB;
  const auto rest = [&](std::uint64_t a, std::uint64_t b) { return a % prime * (b % prime) % prime; };
  const WideWord both = product(one, other);
  const std::uint64_t two_to_64 = (~0ULL % prime + 1) % prime;
  RC_ASSERT(both.low == one * other);
  RC_ASSERT((rest(both.high, two_to_64) + both.low % prime) % prime == rest(one, other));
}

/// Its definition, digit by digit: a sum of products, carried as 16 bits each.
RC_GTEST_PROP(Nh, IsTheSumOfItsProducts, ()) {
  const auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(*rc::gen::inRange<std::size_t>(0, 80),
                                                                    rc::gen::element<std::uint8_t>(0, 1, 127, 255));
  NhKey words{};
  for (auto& one : words) one = *rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(), rc::gen::just(~std::uint64_t{0}));
  std::array<std::uint64_t, 8> digits{};
  for (std::size_t pair = 0; 16 * pair < bytes.size(); ++pair) {
    std::array<std::uint64_t, 2> factors{};
    for (std::size_t i = 0; i < 16 && 16 * pair + i < bytes.size(); ++i) {
      factors.at(i / 8) |= std::uint64_t{bytes[16 * pair + i]} << 8 * (i % 8);
    }
    for (std::size_t i = 0; i < 2; ++i) factors.at(i) += words.at(2 * pair + i);
    for (unsigned low = 0; low < 4; ++low) {
      for (unsigned high = 0; high < 4; ++high) {
        const std::uint64_t part = (factors[0] >> 16 * low & 0xFFFFU) * (factors[1] >> 16 * high & 0xFFFFU);
        digits.at(low + high) += part & 0xFFFFU;
        digits.at(low + high + 1) += part >> 16U;
      }
    }
  }
  WideWord wanted;
  std::uint64_t carry = 0;
  for (unsigned i = 0; i < 8; ++i) {
    carry += digits.at(i);
    (i < 4 ? wanted.low : wanted.high) |= (carry & 0xFFFFU) << 16 * (i % 4);
    carry >>= 16U;
  }
  RC_ASSERT(nh(words, std::as_bytes(std::span(bytes))) == wanted);
}

/// Of the head, and of each block's short form: by the definition in docs/multicast.md.
RC_GTEST_PROP(Seal, IsTheDigestOfHeadAndBlocks, ()) {
  const std::vector<std::byte> payload = counting(*rc::gen::inRange<std::size_t>(0, 3 * nh_block_bytes + 20));
  NhKey words{};
  for (std::uint64_t i = 0; i < words.size(); ++i) words[i] = SipHash(key).end(std::as_bytes(std::span(&i, 1)));
  const HeadBytes head = head_of({.number = 4}, payload.size(), sealer);
  SipHash digest(key);
  digest.take(head);
  for (std::size_t at = 0; at < payload.size(); at += nh_block_bytes) {
    const WideWord one = nh(words, std::span(payload).subspan(at, std::min(nh_block_bytes, payload.size() - at)));
    digest.take(std::as_bytes(std::span(&one, 1)));
  }
  RC_ASSERT(sealer.seal(head, payload) == std::bit_cast<SealBytes>(digest.end({})));
}

/// Whoever changes what a packet is raises the format as well.
TEST(Seal, IsOfThisFormat) {
  const HeadBytes head = head_of({.sender = 1, .claim = 2, .turn = 3, .number = 4, .poll = 5}, 2000, sealer);
  EXPECT_EQ(head[5], std::byte{1});
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sealer.seal(head, counting(2000))), 3386063000956568165U);
}

RC_GTEST_PROP(Packet, ComesBackAsItWas, ()) {
  const PacketHead head{.kind = *rc::gen::element(PacketKind::data, PacketKind::poll, PacketKind::report),
                        .sender = *rc::gen::arbitrary<std::uint32_t>(),
                        .claim = *rc::gen::arbitrary<std::uint32_t>(),
                        .turn = *rc::gen::arbitrary<std::uint64_t>(),
                        .number = *rc::gen::arbitrary<std::uint32_t>(),
                        .poll = *rc::gen::arbitrary<std::uint32_t>()};
  const std::vector<std::byte> payload = counting(*rc::gen::inRange<std::size_t>(0, 2000));
  const std::vector<std::byte> bytes = packet_of(head, payload, sealer);
  const auto read = read_packet(bytes, sealer);
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
  std::vector<std::byte> bytes = packet_of({.number = 3}, counting(*rc::gen::inRange<std::size_t>(0, 2000)), sealer);
  const std::size_t place = *rc::gen::inRange<std::size_t>(0, bytes.size());
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      bytes[place] ^= std::byte{1} << *rc::gen::inRange(0, 8);
      break;
    case 1:
      bytes.resize(place);
      break;
    case 2:
      bytes.resize(bytes.size() + 1 + place);
      break;
    case 3: {  // words of 8 bytes in another order
      const std::size_t words = (bytes.size() - packet_overhead_bytes) / 8;
      RC_PRE(words > 1U);
      const std::size_t first = *rc::gen::inRange<std::size_t>(1, words);
      std::vector<std::byte> turned = bytes;
      std::ranges::rotate(turned.begin() + head_bytes,
                          turned.begin() + head_bytes + static_cast<std::ptrdiff_t>(8 * first),
                          turned.begin() + head_bytes + static_cast<std::ptrdiff_t>(8 * words));
      RC_PRE(turned != bytes);
      bytes = turned;
      break;
    }
    default:
      RC_ASSERT(!read_packet(bytes, Sealer(Key{key[0], key[1] ^ 1U})).has_value());
      return;
  }
  RC_ASSERT(!read_packet(bytes, sealer).has_value());
}

TEST(Packet, OfAnUnknownKindIsRefused) {
  EXPECT_FALSE(read_packet(packet_of({.kind = static_cast<PacketKind>(0)}, {}, sealer), sealer).has_value());
  EXPECT_FALSE(read_packet(packet_of({.kind = static_cast<PacketKind>(10)}, {}, sealer), sealer).has_value());
}

}  // namespace
}  // namespace trunkline::runtime
