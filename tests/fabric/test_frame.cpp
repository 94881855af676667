// SPDX-License-Identifier: Apache-2.0
#include "frame.hpp"

#include <gtest/gtest.h>

#include <random>

namespace trunkline::fabric {
namespace {

constexpr std::uint32_t hosts = 300;

/// Offload header, Ethernet header to host `to`, IPv4 and TCP headers of `ip` and `tcp` words, then payload.
std::vector<std::uint8_t> tcp_frame(unsigned to, std::size_t payload, std::uint16_t segment = 0, unsigned ip = 5,
                                    unsigned tcp = 8) {
  std::vector<std::uint8_t> bytes(offload_header_bytes + 14 + 4 * std::size_t{ip} + 4 * std::size_t{tcp} + payload);
  bytes[1] = segment > 0 ? 1 : 0;
  bytes[4] = static_cast<std::uint8_t>(segment & 0xFFU);
  bytes[5] = static_cast<std::uint8_t>(segment >> 8U);
  std::uint8_t* const frame = bytes.data() + offload_header_bytes;
  frame[0] = 2;
  frame[4] = static_cast<std::uint8_t>(to >> 8U);
  frame[5] = static_cast<std::uint8_t>(to & 0xFFU);
  frame[12] = 8;
  frame[14] = static_cast<std::uint8_t>(0x40U | ip);
  frame[14 + 4 * ip + 12] = static_cast<std::uint8_t>(tcp << 4U);
  return bytes;
}

TEST(ReadFrame, AFullFrameTakes1538BytesOnTheWire) {
  const Reading reading = read_frame(tcp_frame(258, 1448), 0, hosts);
  EXPECT_EQ(reading.verdict, Verdict::good);
  EXPECT_EQ(reading.to, 258U);
  EXPECT_EQ(reading.burden.wire_bytes, 1538U);
  EXPECT_EQ(reading.burden.first_bytes, 1538U);
  EXPECT_EQ(reading.burden.frames, 1U);
}

TEST(ReadFrame, AnAcknowledgementTakes90BytesAndShorterFramesArePadded) {
  EXPECT_EQ(read_frame(tcp_frame(1, 0), 0, hosts).burden.wire_bytes, 90U);
  EXPECT_EQ(read_frame(tcp_frame(1, 0, 0, 5, 5), 0, hosts).burden.wire_bytes, 84U);
}

TEST(ReadFrame, ASuperFrameCountsAsItsRealFramesWithTheirHeaders) {
  const Reading reading = read_frame(tcp_frame(1, 2 * 1448 + 100, 1448), 0, hosts);
  EXPECT_EQ(reading.burden.frames, 3U);
  EXPECT_EQ(reading.burden.first_bytes, 1538U);
  EXPECT_EQ(reading.burden.wire_bytes, 2 * 1538U + 190U);
  EXPECT_EQ(read_frame(tcp_frame(1, 2 * 1448, 1448), 0, hosts).burden.wire_bytes, 2 * 1538U);
}

TEST(ReadFrame, SegmentationLargerThanTheFrameIsOneFrame) {
  const Reading reading = read_frame(tcp_frame(1, 100, 1448), 0, hosts);
  EXPECT_EQ(reading.burden.frames, 1U);
  EXPECT_EQ(reading.burden.wire_bytes, 190U);
  EXPECT_EQ(reading.burden.first_bytes, 190U);
}

TEST(ReadFrame, BroadcastAndMulticastGoToEveryHost) {
  auto bytes = tcp_frame(1, 10);
  bytes[offload_header_bytes] = 0xFF;
  EXPECT_EQ(read_frame(bytes, 0, hosts).to, every_host);
  bytes[offload_header_bytes] = 1;
  EXPECT_EQ(read_frame(bytes, 0, hosts).to, every_host);
}

TEST(ReadFrame, AddressesOfNoHostAreUnknown) {
  EXPECT_EQ(read_frame(tcp_frame(hosts, 10), 0, hosts).verdict, Verdict::unknown_destination);
  EXPECT_EQ(read_frame(tcp_frame(5, 10), 5, hosts).verdict, Verdict::unknown_destination);
  auto bytes = tcp_frame(1, 10);
  bytes[offload_header_bytes + 2] = 1;
  EXPECT_EQ(read_frame(bytes, 0, hosts).verdict, Verdict::unknown_destination);
}

TEST(ReadFrame, ContradictoryOffloadHeadersAreRefused) {
  auto unknown_kind = tcp_frame(1, 3000, 1448);
  unknown_kind[1] = 77;
  EXPECT_EQ(read_frame(unknown_kind, 0, hosts).verdict, Verdict::bad_offload_header);
  auto no_segment = tcp_frame(1, 3000, 1448);
  no_segment[4] = no_segment[5] = 0;
  EXPECT_EQ(read_frame(no_segment, 0, hosts).verdict, Verdict::bad_offload_header);
  auto not_ip = tcp_frame(1, 3000, 1448);
  not_ip[offload_header_bytes + 12] = 9;
  EXPECT_EQ(read_frame(not_ip, 0, hosts).verdict, Verdict::bad_offload_header);
  EXPECT_EQ(read_frame(tcp_frame(1, 3000, 1448, 5, 4), 0, hosts).verdict, Verdict::bad_offload_header);
  EXPECT_EQ(read_frame(tcp_frame(1, 0, 1448), 0, hosts).verdict, Verdict::bad_offload_header);
}

TEST(ReadFrame, EveryTruncationIsNoticedAndNothingBehindTheEndIsRead) {
  const auto whole = tcp_frame(1, 3000, 1448);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // A copy of exactly that size, so that the address sanitizer sees any read behind it.
    const std::vector<std::uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const Reading reading = read_frame(cut, 0, hosts);
    if (size < offload_header_bytes + 14) {
      EXPECT_EQ(reading.verdict, Verdict::truncated) << size;
    } else if (size <= offload_header_bytes + 14 + 20 + 32) {
      EXPECT_EQ(reading.verdict, Verdict::bad_offload_header) << size;
    } else {
      EXPECT_EQ(reading.verdict, Verdict::good) << size;
    }
  }
}

TEST(ReadFrame, GarbageNeverYieldsAnImpossibleBurden) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::uint8_t> bytes(random() % 200);
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(random());
    }
    if (bytes.size() > 24) {
      bytes[1] = static_cast<std::uint8_t>(random() % 6);
      bytes[22] = 8;  // often IPv4
      bytes[23] = 0;
    }
    const Reading reading = read_frame(bytes, 0, hosts);
    if (reading.verdict == Verdict::good) {
      EXPECT_GE(reading.burden.first_bytes, 84U);
      EXPECT_GE(reading.burden.wire_bytes, reading.burden.first_bytes);
      EXPECT_GE(reading.burden.frames, 1U);
      EXPECT_LE(reading.burden.wire_bytes, bytes.size() * 128U + 84U);
      EXPECT_TRUE(reading.to == every_host || reading.to < hosts);
    }
  }
}

}  // namespace
}  // namespace trunkline::fabric
