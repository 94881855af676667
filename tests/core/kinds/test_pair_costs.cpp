// SPDX-License-Identifier: Apache-2.0
// Times of alltoalls whose blocks go straight on, and in what slices they go.
#include "kinds/rounds/pair_costs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "algorithms/registry.hpp"
#include "kinds/rounds/list.hpp"
#include "kinds/rounds/rounds.hpp"
#include "model/transfer/segments.hpp"
#include "model/transfer/wire.hpp"
#include "network/file/impaired.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

constexpr double mbit = 1e6;
constexpr std::uint64_t ten_frames = 14'440;
constexpr std::uint64_t kib = 1024;

Cluster star(Rank hosts, double rate_bps, std::uint32_t width = 1) {
  Cluster::Parts parts{.name = "star", .description = "", .nodes = {{"s", NodeKind::network_switch}}, .links = {}};
  for (Rank host = 0; host < hosts; ++host) {
    parts.links.push_back({.a = 0, .b = host + 1, .rate_bps = rate_bps, .latency_s = 10e-6, .width = width});
    parts.nodes.push_back({"h" + std::to_string(host), NodeKind::host});
  }
  return Cluster(std::move(parts));
}

/// Of a ring.
PairCosts costs_on(const Cluster& cluster, Rank ranks_per_host = 1) {
  Placement placement;
  for (HostIndex host = 0; host < cluster.hosts().size(); ++host)
    placement.insert(placement.end(), ranks_per_host, host);
  const Plan plan = lay(Collective::alltoall, "ring", &cluster, placement, 0);
  return pair_costs(Paths(cluster), placement, rounds_of(plan), HostCosts{});
}

Cluster deep(const Cluster& cluster) { return impaired(cluster, "queue", "64MiB"); }

TEST(PairCosts, BlocksGoInSlicesWhereConnectionsRestAndHostsLinksAreFullest) {
  const PairCosts slow = costs_on(deep(star(16, 20 * mbit)));
  EXPECT_EQ(slow.best_segment(64 * kib), ten_frames);
  EXPECT_EQ(slow.best_segment(256 * kib), ten_frames);
  EXPECT_GE(slow.best_segment(16 * kib), 16 * kib);  // 0.1 s
  EXPECT_GT(slow.seconds(64 * kib, slow.whole_segment(64 * kib)), 1.3 * slow.seconds(64 * kib, ten_frames));
  EXPECT_EQ(costs_on(deep(star(8, 20 * mbit)), 4).best_segment(64 * kib), ten_frames);
  EXPECT_GE(costs_on(deep(star(16, 1000 * mbit))).best_segment(64 * kib), 64 * kib);
}

TEST(PairCosts, BlocksStayWholeWhereLinksBetweenSwitchesAreFullest) {
  Cluster::Parts parts = star(8, 1000 * mbit).stated();
  for (NodeId host = 0; host < 8; ++host) {
    parts.links.push_back({.a = 9, .b = host + 10, .rate_bps = 1000 * mbit, .latency_s = 10e-6});
    if (host == 0) parts.nodes.push_back({"t", NodeKind::network_switch});
    parts.nodes.push_back({"g" + std::to_string(host), NodeKind::host});
  }
  parts.links.push_back({.a = 0, .b = 9, .rate_bps = 100 * mbit, .latency_s = 10e-6});
  EXPECT_GE(costs_on(deep(Cluster(std::move(parts)))).best_segment(1024 * kib), 1024 * kib);
}

TEST(PairCosts, LinksSideBySideCountTogether) {
  const PairCosts two = costs_on(star(8, 100 * mbit, 2));
  const PairCosts one = costs_on(star(8, 200 * mbit));
  EXPECT_DOUBLE_EQ(two.sent_byte_s, one.sent_byte_s);
  EXPECT_DOUBLE_EQ(two.sent_each_byte_s, one.sent_each_byte_s);
}

/// Links of one rate: all but one of those that meet at a port wait there, if hosts send one each.
RC_GTEST_PROP(PairCosts, WhatWaitsIsWhatMeetsAtPortsOfSwitches, ()) {
  const Cluster cluster = testing::star_of_switches(*rc::gen::inRange(1U, 6U), *rc::gen::inRange(1U, 6U));
  const Placement placement = block_placement(cluster, 1);
  RC_PRE(placement.size() > 1);
  const Plan plan = lay(Collective::alltoall, "ring", &cluster, placement, 0);
  std::size_t most = 0;
  for (const std::vector<Transfer>& round : list_of(rounds_of(plan)).rounds) {
    std::map<ChannelId, std::size_t> met;
    for (const Transfer& one : round) {
      const auto path = cluster.path(cluster.hosts()[placement[one.from]], cluster.hosts()[placement[one.to]]);
      for (const ChannelId channel : path) ++met[channel];
    }
    for (const auto& [channel, many] : met) most = std::max(most, many - 1);
  }
  RC_ASSERT(std::abs(pair_costs(Paths(cluster), placement, rounds_of(plan), HostCosts{}).most_waiting -
                     static_cast<double>(most)) < 1e-9);
}

TEST(PairCosts, SlicesAreSuchThatQueuesHoldWhatWaits) {
  const Cluster cluster = testing::star_of_switches(4, 8);
  const auto wait = [&](const char* queue) { return costs_on(impaired(cluster, "queue", queue)); };
  for (const char* const queue : {"96KiB", "256KiB", "512KiB"}) {
    const PairCosts costs = wait(queue);
    const std::uint64_t slice = costs.best_segment(1024 * kib);
    EXPECT_LE(3 * costs.most_waiting * static_cast<double>(wire_bytes(slice)), static_cast<double>(costs.queue_bytes));
    const auto next = std::ranges::upper_bound(segment_sizes(), slice);
    EXPECT_TRUE(costs.overflows(*next) || !costs.all_may_meet(*next)) << queue;
  }
  EXPECT_LT(wait("16KiB").best_segment(64 * kib), 1 * kib);  // a part of a frame
  EXPECT_EQ(wait("4KiB").best_segment(64 * kib), 2856U);     // nothing would fit
}

TEST(PairCosts, SlicesAreSuchThatAllMayMeetAtAHost) {
  const auto slice = [](Rank hosts) { return costs_on(star(hosts, 20 * mbit)).best_segment(64 * kib); };
  EXPECT_EQ(slice(16), 5752U);
  EXPECT_EQ(slice(32), 2856U);
  EXPECT_EQ(slice(100), 2856U);  // no less than two frames
}

RC_GTEST_PROP(PairCosts, WithoutWaitsOnlyLinksAndHostsCount, ()) {
  const Cluster cluster(testing::random_parts(4, 10));
  const Placement placement = testing::random_placement(cluster, 12);
  const Plan plan = lay(Collective::alltoall, "ring", &cluster, placement, 0);
  const PairCosts costs = pair_costs(Paths(cluster), placement, rounds_of(plan), HostCosts{});
  PairCosts without = costs;
  without.sent_byte_s = without.sent_each_byte_s = 0.0;
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 28 * kib);  // less than two windows
  RC_ASSERT(costs.seconds(bytes, costs.whole_segment(bytes)) == without.seconds(bytes, costs.whole_segment(bytes)));
}

}  // namespace
}  // namespace trunkline
