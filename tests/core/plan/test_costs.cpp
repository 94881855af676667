// SPDX-License-Identifier: Apache-2.0
#include "plan/costs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/registry.hpp"
#include "algorithms/trees/k_nomial.hpp"
#include "algorithms/trees/linear.hpp"
#include "choices.hpp"
#include "kinds/rounds/costs.hpp"
#include "kinds/rounds/rounds.hpp"
#include "model/native/native_times.hpp"
#include "model/native/rules.hpp"
#include "model/transfer/wire.hpp"
#include "network/file/cluster_file.hpp"
#include "network/placement.hpp"
#include "network/with_speeds.hpp"
#include "networks.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

using testing::line_of_switches;
using testing::one_switch;

TreeCosts line_costs(const Cluster& cluster, std::uint32_t ranks_per_host = 1) {
  const Placement placement = block_placement(cluster, ranks_per_host);
  return tree_costs(Paths(cluster), placement, linear_tree(cluster, placement, 0));
}

/// Of a message through both hosts.
double software_s(std::uint64_t bytes) { return 2 * usual_host_costs().handling_s(bytes); }

double per_byte(const TreeCosts& costs) {
  double most = 0.0;
  for (const auto& way : costs.latest) most = std::max(most, way.per_byte_s);
  return most;
}

TEST(TreeCosts, OfALineAreFormula1) {
  const TreeCosts costs = line_costs(line_of_switches("1"));
  EXPECT_EQ(costs.network_hops, 31U);
  ASSERT_EQ(costs.latest.size(), 1U);
  const double byte_s = 8 / 1e8;
  EXPECT_NEAR(costs.latest[0].per_byte_s, 31 * byte_s, 1e-15);
  EXPECT_NEAR(costs.latest[0].per_frame_byte_s, 34 * byte_s, 1e-15);  // 31 switches of hosts, and 3 trunks more
  EXPECT_NEAR(costs.latest[0].latency_s, 65 * 10e-6, 1e-12);
  EXPECT_DOUBLE_EQ(costs.latest[0].handlings.sends, 31.0);
  EXPECT_DOUBLE_EQ(costs.latest[0].handlings.receives, 31.0);
  EXPECT_DOUBLE_EQ(costs.handlings.sends, 1.0);
  EXPECT_DOUBLE_EQ(costs.handlings.receives, 1.0);
  ASSERT_EQ(costs.busiest.size(), 1U);
  EXPECT_NEAR(costs.busiest[0].per_byte_s, byte_s, 1e-15);
  EXPECT_NEAR(costs.busiest[0].per_ack_byte_s, byte_s, 1e-15);
}

TEST(TreeCosts, OfABinaryTreeAreFormula2) {
  // 0 sends to 1 and 2, 1 to 3: the way to 3 is two first sends, as long as the way to 2, a second one.
  const Cluster cluster = one_switch(16);
  Tree tree = root_alone(4, 0);
  add_child(tree, 0, 1);
  add_child(tree, 0, 2);
  add_child(tree, 1, 3);
  const TreeCosts costs = tree_costs(Paths(cluster), {0, 1, 2, 3}, tree);
  ASSERT_EQ(costs.latest.size(), 1U);
  EXPECT_NEAR(costs.latest[0].per_byte_s, 2 * 8 / 1e8, 1e-15);
  EXPECT_NEAR(costs.latest[0].per_frame_byte_s, 2 * 8 / 1e8, 1e-15);
  EXPECT_NEAR(costs.latest[0].latency_s, 40e-6, 1e-12);
  EXPECT_NEAR(costs.busiest[0].per_byte_s, 2 * 8 / 1e8, 1e-15);  // the root sends every segment twice
  EXPECT_NEAR(costs.seconds(14080, 1408),
              2 * 1538 * 8 / 1e8 + 2 * 1538 * 8 / 1e8 + 4 * software_s(1538) / 2 + 40e-6 + 9 * (2 * 1538 * 8 / 1e8),
              1e-9);
}

TEST(TreeCosts, SharedChannelsAreSlower) {
  // Two senders across one trunk: in different rounds for the first segment, all the time for the others.
  const Cluster cluster = line_of_switches("8");
  Tree tree = root_alone(4, 0);
  add_child(tree, 0, 1);
  add_child(tree, 0, 2);
  add_child(tree, 1, 3);
  const TreeCosts costs = tree_costs(Paths(cluster), {0, 1, 8, 9}, tree);
  double busiest = 0;
  for (const auto& work : costs.busiest) busiest = std::max(busiest, work.per_byte_s);
  EXPECT_NEAR(busiest, 2 * 8 / 1e8, 1e-15);
  EXPECT_NEAR(per_byte(costs), 3 * 8 / 1e8, 1e-15);  // both cross the trunk in the second round
}

TEST(TreeCosts, TheLastSegmentIsWhatTheOthersLeave) {
  const Cut cut = cut_into(2500, 1000);
  EXPECT_EQ(cut.further, 2.0);
  EXPECT_EQ(cut.segment.bytes, 1000U);
  EXPECT_EQ(cut.last.bytes, 500U);
}

TEST(TreeCosts, RanksOfOneHostNeedNoNetwork) { EXPECT_EQ(line_costs(one_switch(16), 4).network_hops, 15U); }

TreeCosts binomial_costs(const Cluster& cluster) {
  const Placement placement = block_placement(cluster, 1);
  return tree_costs(Paths(cluster), placement, k_nomial_tree(static_cast<Rank>(placement.size()), 0, 2));
}

TEST(NativeTimes, BinomialOnOneSwitchIsLogP) {
  EXPECT_NEAR(per_byte(binomial_costs(one_switch(16))), 4 * 8 / 1e8, 1e-15);
}

TEST(NativeTimes, DealtHostsShareTrunks) {
  // Distances 16, 8, 4 stay below one switch; at distances 2 and 1 eight senders share a trunk.
  EXPECT_NEAR(per_byte(binomial_costs(line_of_switches("1"))), 19 * 8 / 1e8, 1e-15);
  // In blocks of eight, distances 16 and 8 cross trunks alone.
  EXPECT_NEAR(per_byte(binomial_costs(line_of_switches("8"))), 5 * 8 / 1e8, 1e-15);
}

TEST(NativeTimes, RingAllgatherOverDealtHosts) {
  // Scatter: 1/2 + 1/4 + 1/8 below one switch, 8 senders of 1/16 and then of 1/32; ring: 31 rounds of 8 flows of 1/32.
  const Cluster cluster = line_of_switches("1");
  const Placement placement = block_placement(cluster, 1);
  const Plan plan = lay(Collective::bcast, "unaware-scatter-ring", nullptr, placement, 0);
  EXPECT_NEAR(round_costs(Paths(cluster), placement, rounds_of(plan), usual_host_costs(), true).rounds.seconds_per_byte,
              (0.5 + 0.25 + 0.125 + 0.5 + 0.25 + 31 * 8 / 32.0) * 8 / 1e8, 1e-15);
}

TEST(NativeTimes, BlocksThatLieSideBySideAreOneMessage) {
  // Where messages cost most: eight of them one after another, beside the binomial tree's four. By block it were 32.
  const Cluster fast = parse_cluster(
      "trunkline: cluster/1\nname: one\ndefaults: {rate: 100Gbit, latency: 1us}\nswitches: [s0]\n"
      "hosts:\n  - {hosts: 'h[0-15]', switch: s0}\n",
      "one.yaml");
  ASSERT_EQ(mpich_bcast(16, 16384), MpichBcast::scatter_doubling);
  const Paths paths(fast);
  const auto times =
      native_times(paths, block_placement(fast, 1), Collective::bcast, 0, NativeLibrary::mpich, usual_host_costs());
  const double tree = binomial_costs(fast).seconds(16384, 16384);
  EXPECT_GT(times->seconds(16384), 1.2 * tree);
  EXPECT_LT(times->seconds(16384), 2.5 * tree);
}

TEST(BlockCosts, OfHostsWithSeveralRanks) {
  // 16 hosts of 4 ranks: distances are 1, 2, 4, ..., 32. A block that is alone goes to the ranks of the root's host in
  // memory; then hosts send four at a time, one for each of their ranks.
  const Cluster cluster = one_switch(16);
  const Placement placement = block_placement(cluster, 4);
  const HostCosts hosts = host_costs_named("mpich");
  const auto seconds = [&](const Cluster& on, std::uint64_t blocks) {
    const Plan plan = lay(Collective::bcast, "circulant", &on, placement, 0);
    return costs_of(on, placement, plan, Collective::bcast, hosts)->seconds(blocks * 1408, 1408);
  };
  const double frame_s = 1538 * 8 / 1e8;
  const double message_s = 2.0 * hosts.handling_s(1408);
  const double first_s = 2 * 2.0 * hosts.local_handling_s(1408) + 4 * (message_s + 20e-6 + (4 + 1) * frame_s);
  EXPECT_NEAR(seconds(cluster, 1), first_s, 1e-9);
  // Each of the others takes a round: of six, four load each host's link with four blocks, the others with one and two.
  const double delay_s = (20e-6 + frame_s) * (0.25 + 0.5 + 4) / 6;
  EXPECT_NEAR(seconds(cluster, 2) - first_s, frame_s * (1 + 2 + 4 * 4) / 6 + delay_s, 0.03 * frame_s);
  // Where links take no time, ranks that always talk to other hosts set the pace, not the mean of all.
  const Cluster fast = scaled(cluster, 1e15);
  EXPECT_NEAR(seconds(fast, 101) - seconds(fast, 1), 100 * message_s, 1e-6);
}

TEST(BlockCosts, OfOneSwitchAreTheRounds) {
  const Cluster cluster = one_switch(16);
  const Placement placement = block_placement(cluster, 1);
  const Costs circulant = costs_of(cluster, placement, lay(Collective::bcast, "circulant", &cluster, placement, 0));
  // Ten blocks of a frame to 16 ranks in 4 + 9 rounds. The first one: a frame on the wire, again from the switch,
  // latency, software. Where the wire takes most, each of the others takes that, and its way. Of 16 ranks the root
  // receives nothing, which shortens ways on average.
  const double frame_s = 1538 * 8 / 1e8;
  const double delay_s = (20e-6 + frame_s) * 15 / 16;
  EXPECT_NEAR(circulant->seconds(14080, 1408), 4 * (2 * frame_s + 20e-6 + software_s(1408)) + 9 * (frame_s + delay_s),
              1e-9);
  const Costs ring = costs_of(cluster, placement, lay(Collective::bcast, "scatter-ring", &cluster, placement, 0));
  // 1/2, 1/4, 1/8 and 1/16 of the message, each in one piece, then 15 times one of 16 blocks; the first frame of each
  // is stored at the switch.
  double expected = 15 * (2 * frame_s + 20e-6 + software_s(1408));
  for (const std::uint64_t blocks : {8U, 4U, 2U, 1U}) {
    const std::uint64_t bytes = blocks * 1408;
    expected += 8e-8 * static_cast<double>(wire_bytes(bytes)) + frame_s + 20e-6 + software_s(bytes);
  }
  EXPECT_NEAR(ring->seconds(16 * 1408, 16000), expected, 1e-9);
}

TEST(Segment, FillsAFrameOrFramesAndGrowsWithTheMessage) {
  const TreeCosts costs = line_costs(line_of_switches("1"));
  std::uint64_t last = 0;
  for (std::uint64_t bytes = 1024; bytes <= 1U << 26; bytes *= 2) {
    const std::uint64_t segment = costs.best_segment(bytes);
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
  const TreeCosts costs = line_costs(line_of_switches("1", "20Mbit"));
  EXPECT_LT(costs.best_segment(8192), frame_payload_bytes / 2);
  EXPECT_LT(costs.seconds(8192, costs.best_segment(8192)), 0.5 * costs.seconds(8192, 1408));
  EXPECT_GE(costs.best_segment(1U << 22), frame_payload_bytes);
}

TEST(TreeCosts, AreNeverBelowTheWire) {
  const TreeCosts costs = line_costs(line_of_switches("1"));
  for (std::uint64_t bytes = 1; bytes <= 1U << 24; bytes = bytes * 3 + 1) {
    EXPECT_GT(costs.seconds(bytes, costs.best_segment(bytes)), static_cast<double>(bytes) * 8 / 1e8);
  }
}

}  // namespace
}  // namespace trunkline
