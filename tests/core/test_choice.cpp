// SPDX-License-Identifier: Apache-2.0
#include "model/choice.hpp"

#include <gtest/gtest.h>

#include <string>

#include "cluster/cluster_file.hpp"
#include "model/wire.hpp"
#include "plan/shapes/linear.hpp"

namespace trunkline {
namespace {

Cluster line_of_switches(const std::string& deal, const std::string& rate = "100Mbit") {
  return parse_cluster(
      "trunkline: cluster/1\nname: test\ndefaults: {rate: " + rate +
          ", latency: 10us}\nswitches: s[0-3]\nhosts:\n  - {hosts: 'h[0-31]', switches: 's[0-3]', deal: " + deal +
          "}\nlinks:\n  - between: [s0, s1]\n  - between: [s1, s2]\n  - between: [s2, s3]\n",
      "test.yaml");
}

Cluster one_switch() {
  return parse_cluster(
      "trunkline: cluster/1\nname: one\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: [s0]\n"
      "hosts:\n  - {hosts: 'h[0-15]', switch: s0}\n",
      "one.yaml");
}

LineFacts facts_of(const Cluster& cluster, std::uint32_t ranks_per_host = 1) {
  const Placement placement = block_placement(cluster, ranks_per_host);
  return line_facts(cluster, placement, linear_tree(cluster, placement, 0));
}

TEST(LineFacts, CountTheChannelsOfTheLine) {
  const LineFacts facts = facts_of(line_of_switches("1"));
  EXPECT_EQ(facts.ranks, 32U);
  EXPECT_EQ(facts.network_hops, 31U);
  EXPECT_EQ(facts.stored_frames, 34U);  // 31 host switches, and 3 trunks more
  EXPECT_DOUBLE_EQ(facts.slowest_bps, 1e8);
  EXPECT_NEAR(facts.latency_s, 65 * 10e-6, 1e-12);
}

TEST(LineFacts, RanksOfOneHostNeedNoNetwork) { EXPECT_EQ(facts_of(one_switch(), 4).network_hops, 15U); }

TEST(NativeCosts, BinomialOnOneSwitchIsLogP) {
  const LineFacts facts = facts_of(one_switch());
  EXPECT_DOUBLE_EQ(facts.native.binomial.rounds, 4.0);
  EXPECT_NEAR(facts.native.binomial.seconds_per_byte, 4 * 8 / 1e8, 1e-15);
}

TEST(NativeCosts, DealtHostsShareTrunks) {
  // Distances 16, 8, 4 stay below one switch; at distances 2 and 1 eight senders share a trunk.
  EXPECT_NEAR(facts_of(line_of_switches("1")).native.binomial.seconds_per_byte, 19 * 8 / 1e8, 1e-15);
  // In blocks of eight, distances 16 and 8 cross trunks alone.
  EXPECT_NEAR(facts_of(line_of_switches("8")).native.binomial.seconds_per_byte, 5 * 8 / 1e8, 1e-15);
}

TEST(NativeCosts, RingAllgatherOverDealtHosts) {
  // Scatter: 1/2 + 1/4 + 1/8 below one switch, 8 senders of 1/16 and then of 1/32; ring: 31 rounds of 8 flows of 1/32.
  EXPECT_NEAR(facts_of(line_of_switches("1")).native.scatter_ring_allgather.seconds_per_byte,
              (0.5 + 0.25 + 0.125 + 0.5 + 0.25 + 31 * 8 / 32.0) * 8 / 1e8, 1e-15);
}

TEST(Segment, FillsAFrameOrFramesAndGrowsWithTheMessage) {
  const LineFacts facts = facts_of(line_of_switches("1"));
  std::uint64_t last = 0;
  for (std::uint64_t bytes = 1024; bytes <= 1U << 26; bytes *= 2) {
    const std::uint64_t segment = default_segment(facts, bytes);
    if (segment > frame_payload_bytes) {
      EXPECT_EQ((segment + mpi_header_bytes) % frame_payload_bytes, 0U) << bytes;
    }
    EXPECT_GE(segment, last) << bytes;
    EXPECT_LE(segment, 16384U);
    last = segment;
  }
}

TEST(Segment, IsPartOfAFrameWhileStoringItOutweighsTheMessage) {
  // 65 frames are stored on the way: a whole one each time takes longer than 8 KiB do on the wire.
  const LineFacts facts = facts_of(line_of_switches("1", "20Mbit"));
  EXPECT_LT(default_segment(facts, 8192), frame_payload_bytes / 2);
  EXPECT_LT(line_seconds(facts, 8192, default_segment(facts, 8192)), 0.5 * line_seconds(facts, 8192, 1408));
  EXPECT_GE(default_segment(facts, 1U << 22), frame_payload_bytes);
}

TEST(Choice, LargeMessagesTakeTheLineSmallOnesDoNot) {
  for (const auto native : {NativeLibrary::mpich, NativeLibrary::openmpi}) {
    for (const Cluster& cluster : {line_of_switches("1"), line_of_switches("8"), one_switch()}) {
      const LineFacts facts = facts_of(cluster);
      EXPECT_EQ(choose_bcast(facts, 8, native).algorithm, "native");
      EXPECT_EQ(choose_bcast(facts, 1U << 20, native).algorithm, "linear");
      EXPECT_EQ(choose_bcast(facts, 1U << 22, native).algorithm, "linear");
    }
  }
}

TEST(Choice, OnOneSwitchShortMessagesStayNative) {
  EXPECT_EQ(choose_bcast(facts_of(one_switch()), 1024, NativeLibrary::mpich).algorithm, "native");
  EXPECT_EQ(choose_bcast(facts_of(line_of_switches("1")), 8192, NativeLibrary::mpich).algorithm, "linear");
}

TEST(Choice, OneHostStaysNative) {
  const Cluster cluster = one_switch();
  const Placement placement(8, 3);
  const LineFacts facts = line_facts(cluster, placement, linear_tree(cluster, placement, 0));
  const Choice choice = choose_bcast(facts, 1U << 24, NativeLibrary::mpich);
  EXPECT_EQ(choice.algorithm, "native");
  EXPECT_EQ(choice.reason, "all ranks on one host");
}

TEST(Choice, APredictedLineIsNeverBelowTheWire) {
  const LineFacts facts = facts_of(line_of_switches("1"));
  for (std::uint64_t bytes = 1; bytes <= 1U << 24; bytes = bytes * 3 + 1) {
    EXPECT_GT(line_seconds(facts, bytes, default_segment(facts, bytes)), static_cast<double>(bytes) * 8 / 1e8);
  }
}

}  // namespace
}  // namespace trunkline
