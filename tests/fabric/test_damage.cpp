// SPDX-License-Identifier: Apache-2.0
#include "impair/damage.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

#include "frame.hpp"

namespace trunkline::fabric {
namespace {

constexpr std::size_t udp_at = least_bytes + 20;
constexpr std::size_t headers = udp_at + 8;

/// A datagram without its checksum: the network card would put that in.
std::vector<std::uint8_t> datagram(std::size_t payload, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> bytes(headers + payload);
  bytes[0] = 1;
  bytes[6] = udp_at - offload_header_bytes;
  bytes[8] = 6;
  bytes[least_bytes - 2] = 8;
  bytes[least_bytes] = 0x45;
  bytes[least_bytes + 9] = 17;
  bytes[udp_at + 6] = 0x12;  // the sum of the pseudo-header
  bytes[udp_at + 7] = 0x34;
  for (std::size_t i = headers; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(random());
  return bytes;
}

/// Sum of the datagram from the UDP header on, as its receiver takes it.
std::uint32_t sum(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t total = 0;
  for (std::size_t i = udp_at; i < bytes.size(); ++i) total += bytes[i] * ((i - udp_at) % 2 == 0 ? 256U : 1U);
  while (total > 0xFFFF) total = (total & 0xFFFFU) + (total >> 16U);
  return total;
}

unsigned bits_changed(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b, std::size_t from) {
  unsigned bits = 0;
  for (std::size_t i = from; i < a.size(); ++i) bits += std::popcount(static_cast<unsigned>(a[i] ^ b[i]));
  return bits;
}

TEST(DamageTest, CorruptingFlipsOneBitUnderAFinishedChecksum) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const auto sound = datagram(1 + seed % 200, seed);
    auto bytes = sound;
    inflict(corrupting(seed * 0x9E3779B9ULL), bytes);
    EXPECT_EQ(bytes[0], 0U) << "the kernel would trust a checksum that is left to the card";
    // The checksum's own field changed when it was finished: look at all else.
    auto finished = sound;
    finished[udp_at + 6] = bytes[udp_at + 6];
    finished[udp_at + 7] = bytes[udp_at + 7];
    const unsigned outside = bits_changed(finished, bytes, least_bytes);
    ASSERT_LE(outside, 1U);
    // A pseudo-header of 0x1234 stands in the field: with its complement the sum is all ones without a flip.
    std::uint32_t total = sum(bytes) + 0x1234U;
    total = (total & 0xFFFFU) + (total >> 16U);
    const bool in_ip_header = bits_changed(finished, bytes, least_bytes) != bits_changed(finished, bytes, udp_at);
    EXPECT_EQ(total == 0xFFFFU, in_ip_header) << seed;
  }
}

TEST(DamageTest, GarblingChangesThePayloadAndNoChecksum) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    auto bytes = datagram(4 + seed % 200, seed);
    for (std::size_t i = headers; seed % 4 == 1 && i < bytes.size(); ++i) bytes[i] = 0;
    const auto before = bytes;
    inflict(garbling(seed * 0x9E3779B9ULL), bytes);
    EXPECT_GT(bits_changed(before, bytes, headers), 0U);
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + headers, bytes.begin()));
    EXPECT_EQ(sum(before) % 0xFFFFU, sum(bytes) % 0xFFFFU);
  }
}

TEST(DamageTest, NothingBehindTheEndIsTouched) {
  for (std::size_t size = least_bytes; size < headers + 4; ++size) {
    for (const Damage damage : {corrupting(size), garbling(size)}) {
      auto bytes = datagram(4, 1);
      bytes.resize(size);
      bytes.shrink_to_fit();
      inflict(damage, bytes);
      EXPECT_EQ(bytes.size(), size);
    }
  }
}

}  // namespace
}  // namespace trunkline::fabric
