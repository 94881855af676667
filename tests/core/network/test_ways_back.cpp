// SPDX-License-Identifier: Apache-2.0
// Links that are not alike both ways: what is read, written and known of them, and what they cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "choose/least_time.hpp"
#include "network/capacity.hpp"
#include "network/file/cluster_file.hpp"
#include "network/fingerprint.hpp"
#include "network/long_links.hpp"
#include "network/paths.hpp"
#include "network/with_speeds.hpp"
#include "networks.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

using testing::random_parts;
using testing::random_placement;
using testing::random_tree;

constexpr double ms = 1e-3;

/// Hosts a and b on two switches that are joined as `links` says.
Cluster joined(const std::string& links, const std::string& of_a = "") {
  return parse_cluster(
      "trunkline: cluster/1\nname: x\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: [s0, s1]\n"
      "hosts: [{hosts: a, switch: s0" +
          of_a + "}, {hosts: b, switch: s1}]\nlinks:\n" + links,
      "x.yaml");
}

/// Some of the links with a way back of their own.
Cluster::Parts with_ways_back(Cluster::Parts parts) {
  for (Link& link : parts.links) {
    if (!*rc::gen::arbitrary<bool>()) continue;
    link.back = OneWay{1e6 * *rc::gen::element(5, 10, 300), 1e-6 * *rc::gen::inRange(0, 900)};
  }
  return parts;
}

/// What goes there goes back, and the other way round.
Cluster turned_around(const Cluster& cluster) {
  Cluster::Parts parts = cluster.stated();
  for (Link& link : parts.links) {
    const OneWay there = link.way(0);
    const OneWay back = link.way(1);
    link.rate_bps = back.rate_bps;
    link.latency_s = back.latency_s;
    link.back = there;
  }
  return Cluster(std::move(parts));
}

bool close(double one, double other) { return std::abs(one - other) <= 1e-9 * std::max(std::abs(one), 1e-9); }

TEST(WaysBack, AreReadWhereTheyDiffer) {
  const Cluster cluster = joined("  - {between: [s0, s1], rate: 50Mbit, latency: 20ms, back: {rate: 2Mbit}}\n",
                                 ", back: {rate: 1Gbit, latency: 3ms}");
  const Link& trunk = cluster.links().back();
  EXPECT_EQ(trunk.way(0), (OneWay{50e6, 20 * ms}));
  EXPECT_EQ(trunk.way(1), (OneWay{2e6, 20 * ms}));
  const Link own = cluster.own_link(0);
  EXPECT_EQ(own.way(0), (OneWay{100e6, 10e-6}));
  EXPECT_EQ(own.way(1), (OneWay{1e9, 3 * ms}));
}

TEST(WaysBack, OfTwoLinksOneWayEach) {
  const Cluster cluster = joined(
      "  - {from: s0, to: s1, rate: 50Mbit, latency: 20ms}\n"
      "  - {from: s1, to: s0, rate: 2Mbit, latency: 300ms}\n");
  EXPECT_EQ(cluster.links().size(), 3U);
  EXPECT_EQ(cluster.fingerprint(),
            joined("  - {between: [s0, s1], rate: 50Mbit, latency: 20ms, back: {rate: 2Mbit, latency: 300ms}}\n")
                .fingerprint());
}

TEST(WaysBack, ThatSayTheSameAreNone) {
  const Cluster alike = joined("  - {between: [s0, s1], rate: 50Mbit}\n");
  const Cluster stated = joined("  - {between: [s0, s1], rate: 50Mbit, back: {rate: 50Mbit, latency: 10us}}\n");
  EXPECT_FALSE(stated.links().back().back.has_value());
  EXPECT_EQ(alike.fingerprint(), stated.fingerprint());
  const Cluster other = joined("  - {between: [s0, s1], rate: 50Mbit, back: {rate: 49Mbit}}\n");
  EXPECT_NE(alike.fingerprint(), other.fingerprint());
  EXPECT_EQ(topology_fingerprint(alike), topology_fingerprint(other));
}

RC_GTEST_PROP(WaysBack, AreWrittenAndReadAgain, ()) {
  const Cluster cluster(with_ways_back(random_parts(5, 6, 2)));
  const Cluster again = parse_cluster(write_cluster(cluster), "again.yaml");
  RC_ASSERT(again.fingerprint() == cluster.fingerprint());
}

RC_GTEST_PROP(WaysBack, CountInPathsAsTheirChannelsSay, ()) {
  const Cluster cluster(with_ways_back(random_parts(8, 8)));
  const Paths paths(cluster);
  const auto from = *rc::gen::inRange<NodeId>(0, static_cast<NodeId>(cluster.nodes().size()));
  const auto to = *rc::gen::inRange<NodeId>(0, static_cast<NodeId>(cluster.nodes().size()));
  double latency_s = 0.0;
  double byte_s = 0.0;
  double slowest_s = 0.0;
  for (const ChannelId channel : cluster.path(from, to)) {
    latency_s += cluster.way(channel).latency_s;
    byte_s += 8.0 / cluster.way(channel).rate_bps;
    slowest_s = std::max(slowest_s, 8.0 / cluster.way(channel).rate_bps);
  }
  const NodeId meeting = paths.meeting(from, to);
  RC_ASSERT(close(paths.latency_s(from, to, meeting), latency_s));
  RC_ASSERT(close(paths.byte_s(from, to, meeting), byte_s));
  RC_ASSERT(close(paths.slowest_byte_s(from, to, meeting), slowest_s));
  RC_ASSERT(close(2.0 * paths.mean_latency_s(from, to, meeting),
                  paths.latency_s(from, to, meeting) + paths.latency_s(to, from, meeting)));
}

/// Along a line: where several come up to one rank they do so in another order than it would send to them.
RC_GTEST_PROP(WaysBack, MakeAReductionCostWhatABroadcastDoesTheOtherWay, ()) {
  const Cluster cluster(with_ways_back(random_parts(5, 8)));
  const Cluster other = turned_around(cluster);
  const Placement placement = random_placement(cluster, 12);
  std::vector<Rank> order(placement.size());
  std::iota(order.begin(), order.end(), 0U);
  const Tree tree = line_through(order);
  const Paths paths(cluster);
  const Paths other_paths(other);
  // Who sends down takes in what comes up, and combines it: here that costs the same.
  HostCosts alike = usual_host_costs();
  alike.receive_s = alike.send_s;
  alike.receive_byte_s = alike.send_byte_s;
  alike.local_receive_s = alike.local_send_s;
  alike.local_receive_byte_s = alike.local_send_byte_s;
  alike.combine_byte_s = 0.0;
  for (const HostCosts& hosts : {alike, host_costs_named("free")}) {
    const TreeCosts up = tree_costs(paths, placement, tree, Direction::up, hosts);
    const TreeCosts down = tree_costs(other_paths, placement, tree, Direction::down, hosts);
    const TreeCosts both = tree_costs(paths, placement, tree, Direction::up_and_down, hosts);
    const TreeCosts both_turned = tree_costs(other_paths, placement, tree, Direction::up_and_down, hosts);
    for (const std::uint64_t bytes : {8U, 3000U, 1000000U}) {
      RC_ASSERT(close(up.seconds(bytes, 1448), down.seconds(bytes, 1448)));
      RC_ASSERT(close(both.seconds(bytes, 1448), both_turned.seconds(bytes, 1448)));
    }
  }
}

TEST(WaysBack, AddUpWhereDataGoUpAndDown) {
  const Cluster cluster = joined("  - {between: [s0, s1], latency: 5ms, back: {latency: 30ms}}\n");
  const Paths paths(cluster);
  const Tree tree{.root = 0, .parent = {no_rank, 0}, .children = {{1}, {}}};
  const auto seconds = [&](Direction direction) {
    return tree_costs(paths, {0, 1}, tree, direction, host_costs_named("free")).seconds(1, 1448);
  };
  EXPECT_NEAR(seconds(Direction::down), 5 * ms, 0.1 * ms);
  EXPECT_NEAR(seconds(Direction::up), 30 * ms, 0.1 * ms);
  EXPECT_NEAR(seconds(Direction::up_and_down), 35 * ms, 0.2 * ms);
}

TEST(WaysBack, CountInBoundsTheWayThatDataGo) {
  const Cluster cluster = joined("  - {between: [s0, s1], latency: 5ms, back: {latency: 30ms}}\n");
  const Paths paths(cluster);
  const auto bound = [&](Collective collective, Rank root) {
    return least_crossing_s(paths, {0, 1}, collective, root, 1);
  };
  EXPECT_NEAR(bound(Collective::bcast, 0), 5 * ms, 0.1 * ms);
  EXPECT_NEAR(bound(Collective::bcast, 1), 30 * ms, 0.1 * ms);
  EXPECT_NEAR(bound(Collective::reduce, 0), 30 * ms, 0.1 * ms);
  EXPECT_NEAR(bound(Collective::reduce, 1), 5 * ms, 0.1 * ms);
  EXPECT_NEAR(bound(Collective::allreduce, 0), 30 * ms, 0.1 * ms);
}

TEST(WaysBack, LeaveRoomForAsManyAsTheSlowerOneHas) {
  const Cluster cluster = joined("  - {between: [s0, s1], rate: 1Gbit, back: {rate: 310Mbit}}\n");
  EXPECT_EQ(capacities_of(cluster, {0, 1}).back(), 3U);
}

TEST(WaysBack, MakeALinkLongInTheMean) {
  EXPECT_TRUE(joined("  - {between: [s0, s1], latency: 10us, back: {latency: 10ms}}\n").has_sites());
  EXPECT_FALSE(joined("  - {between: [s0, s1], latency: 10us, back: {latency: 180us}}\n").has_sites());
}

TEST(WaysBack, OfTheFasterLinkInItsSlowerDirectionAreUsed) {
  const Cluster cluster = joined(
      "  - {between: [s0, s1], rate: 1Gbit, back: {rate: 1Mbit}}\n"
      "  - {between: [s0, s1], rate: 10Mbit}\n");
  EXPECT_FALSE(cluster.links()[2].in_tree);
  EXPECT_TRUE(cluster.links()[3].in_tree);
}

TEST(WaysBack, KeepTheirProportionsAtOtherRates) {
  const Cluster cluster = scaled(joined("  - {between: [s0, s1], rate: 50Mbit, back: {rate: 200Mbit}}\n"), 20e6);
  EXPECT_EQ(cluster.links().back().way(0).rate_bps, 5e6);
  EXPECT_EQ(cluster.links().back().way(1).rate_bps, 20e6);
  EXPECT_EQ(cluster.links().front().way(0).rate_bps, 10e6);
}

TEST(WaysBack, KeepTheDifferenceOfTheirLatenciesWhenRestated) {
  const Cluster cluster = joined("  - {between: [s0, s1], latency: 5ms, back: {latency: 15ms}}\n");
  const std::vector<double> rates{1e6, 1e6, 1e6, 1e6, 2e6, 3e6};
  const auto trunk = [&](double mean_s) {
    const std::vector<double> latencies{0.0, 0.0, mean_s};
    return with_speeds(cluster, rates, latencies).links().back();
  };
  EXPECT_DOUBLE_EQ(trunk(20 * ms).way(0).latency_s, 15 * ms);
  EXPECT_DOUBLE_EQ(trunk(20 * ms).way(1).latency_s, 25 * ms);
  EXPECT_DOUBLE_EQ(trunk(2 * ms).way(0).latency_s, 0.0);
  EXPECT_DOUBLE_EQ(trunk(2 * ms).way(1).latency_s, 4 * ms);
  EXPECT_EQ(trunk(2 * ms).way(0).rate_bps, 2e6);
  EXPECT_EQ(trunk(2 * ms).way(1).rate_bps, 3e6);
}

TEST(WaysBack, TakeOtherLatenciesOfEachDirection) {
  const Cluster cluster = joined("  - {between: [s0, s1], latency: 5ms}\n");
  const std::vector<double> rates{1e6, 1e6, 1e6, 1e6, 2e6, 2e6};
  const auto trunk = [&](double there_s, double back_s) {
    const std::vector<double> latencies{0.0, 0.0, 1 * ms, 1 * ms, there_s, back_s};
    return with_speeds(cluster, rates, latencies).links().back();
  };
  EXPECT_EQ(trunk(20 * ms, 4 * ms).way(0).latency_s, 20 * ms);
  EXPECT_EQ(trunk(20 * ms, 4 * ms).way(1).latency_s, 4 * ms);
  EXPECT_EQ(trunk(20 * ms, 4 * ms).rate_bps, 2e6);
  EXPECT_FALSE(trunk(4 * ms, 4 * ms).back);
  EXPECT_THROW(trunk(-1 * ms, 4 * ms), std::invalid_argument);
  EXPECT_THROW(trunk(4 * ms, -1 * ms), std::invalid_argument);
  EXPECT_THROW(with_speeds(cluster, rates, std::vector<double>(4, 1 * ms)), std::invalid_argument);
}

TEST(WaysBack, TellSwitchesOfEqualCostPathsApart) {
  const auto cluster = [](const std::string& uplink) {
    return parse_cluster(
        "trunkline: cluster/1\nname: x\npaths: equal-cost\ndefaults: {rate: 100Mbit}\nswitches: [l0, l1, t0, t1]\n"
        "hosts: [{hosts: a, switch: l0}, {hosts: b, switch: l1}]\nlinks:\n"
        "  - {between: [l0, t0], rate: 40Mbit, back: {rate: 10Mbit}}\n"
        "  - {between: [l1, t0], rate: 40Mbit, back: {rate: 10Mbit}}\n"
        "  - {between: [l0, t1], rate: 40Mbit, back: {rate: 10Mbit}}\n" +
            uplink,
        "x.yaml");
  };
  // Said from its other end it is the same link.
  const Cluster alike = cluster("  - {between: [t1, l1], rate: 10Mbit, back: {rate: 40Mbit}}\n");
  ASSERT_EQ(alike.merged().size(), 1U);
  EXPECT_EQ(alike.links().back().width, 2U);
  EXPECT_EQ(alike.links().back().back->rate_bps, 10e6);
  EXPECT_TRUE(cluster("  - {between: [l1, t1], rate: 10Mbit, back: {rate: 40Mbit}}\n").merged().empty());
}

}  // namespace
}  // namespace trunkline
