// SPDX-License-Identifier: Apache-2.0
// What switches read of multicast frames and of IGMP's messages.
#include "impair/multicast.hpp"

#include <gtest/gtest.h>

#include <random>

#include "frame.hpp"
#include "impair/checksum.hpp"

namespace trunkline::fabric {
namespace {

using Kind = Multicast::Kind;

/// An IPv4 frame to a group, with `words` of options; then its payload.
std::vector<std::uint8_t> to_group(std::uint32_t group, std::uint8_t protocol, const std::vector<std::uint8_t>& payload,
                                   unsigned options = 0) {
  const std::size_t ip = 20 + 4 * options;
  std::vector<std::uint8_t> bytes(least_bytes + ip);
  const std::uint8_t prefix[] = {1, 0, 0x5E};
  std::copy(std::begin(prefix), std::end(prefix), bytes.begin() + offload_header_bytes);
  bytes[least_bytes - 2] = 8;
  bytes[least_bytes] = static_cast<std::uint8_t>(0x40U + ip / 4);
  bytes[least_bytes + 9] = protocol;
  for (unsigned i = 0; i < 4; ++i) bytes[least_bytes + 16 + i] = static_cast<std::uint8_t>(group >> (24 - 8 * i));
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

constexpr std::uint32_t some_group = 0xEF010203;  // 239.1.2.3

TEST(ReadMulticast, DataHasItsGroupAndLinkLocalOnesFlood) {
  const Multicast data = read_multicast(to_group(some_group, 17, std::vector<std::uint8_t>(20)));
  EXPECT_EQ(data.kind, Kind::data);
  EXPECT_EQ(data.group, some_group);
  EXPECT_EQ(read_multicast(to_group(0xE00000FB, 17, {})).kind, Kind::flooded);
  EXPECT_EQ(read_multicast(to_group(0xE0000100, 17, {})).kind, Kind::data);
  auto broadcast = to_group(some_group, 17, {});
  std::fill_n(broadcast.begin() + offload_header_bytes, 6, std::uint8_t{0xFF});
  EXPECT_EQ(read_multicast(broadcast).kind, Kind::flooded);
}

TEST(ReadMulticast, ReportsOfVersionTwoJoinAndLeave) {
  const Multicast join = read_multicast(to_group(some_group, 2, {0x16, 0, 0, 0, 239, 1, 2, 3}, 1));
  EXPECT_EQ(join.kind, Kind::report);
  ASSERT_EQ(join.memberships.size(), 1U);
  EXPECT_EQ(join.memberships[0].group, some_group);
  EXPECT_TRUE(join.memberships[0].joins);
  const Multicast leave = read_multicast(to_group(0xE0000002, 2, {0x17, 0, 0, 0, 239, 1, 2, 3}, 1));
  ASSERT_EQ(leave.memberships.size(), 1U);
  EXPECT_FALSE(leave.memberships[0].joins);
}

TEST(ReadMulticast, ReportsOfVersionThreeHoldSeveralRecords) {
  const std::vector<std::uint8_t> report{0x22, 0, 0, 0, 0,   0, 0, 4,               // four records
                                         4,    0, 0, 0, 239, 1, 2, 3,               // to exclude nothing: joins
                                         3,    0, 0, 0, 239, 1, 2, 4,               // to include nothing: leaves
                                         1,    0, 0, 1, 239, 1, 2, 5, 9, 9, 9, 9,   // includes one source
                                         6,    0, 0, 1, 239, 1, 2, 6, 9, 9, 9, 9};  // blocks one: says nothing
  const Multicast read = read_multicast(to_group(0xE0000016, 2, report, 1));
  ASSERT_EQ(read.memberships.size(), 3U);
  EXPECT_TRUE(read.memberships[0].joins);
  EXPECT_FALSE(read.memberships[1].joins);
  EXPECT_EQ(read.memberships[1].group, some_group + 1);
  EXPECT_TRUE(read.memberships[2].joins);
}

TEST(ReadMulticast, AQueryOfOurOwnIsOneWithTheChecksumsThatHostsExpect) {
  const auto query = general_query(10, 125);
  EXPECT_EQ(read_multicast(query).kind, Kind::query);
  const std::span<const std::uint8_t> ip = std::span(query).subspan(least_bytes);
  EXPECT_EQ(ones_sum(ip.first(24)), 0xFFFFU);
  EXPECT_EQ(ones_sum(ip.subspan(24)), 0xFFFFU);
  EXPECT_EQ(ip[24 + 1], 100U);
  EXPECT_EQ(ip[24 + 9], 125U);
  EXPECT_EQ(general_query(0.01, 0.5)[least_bytes + 24 + 1], 1U);
}

TEST(ReadMulticast, TruncationsAndGarbageReadNothingBehindTheEnd) {
  std::mt19937 random(1);
  const auto whole =
      to_group(0xE0000016, 2, {0x22, 0, 0, 0, 0, 0, 0, 9, 4, 0, 0, 0, 239, 1, 2, 3, 4, 255, 255, 255, 1});
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::vector<std::uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_LE(read_multicast(cut).memberships.size(), 2U);
  }
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::uint8_t> payload(random() % 60);
    for (std::uint8_t& byte : payload) byte = static_cast<std::uint8_t>(random());
    if (!payload.empty()) payload[0] = 0x22;
    EXPECT_LE(read_multicast(to_group(some_group, 2, payload)).memberships.size(), payload.size() / 8);
  }
}

}  // namespace
}  // namespace trunkline::fabric
