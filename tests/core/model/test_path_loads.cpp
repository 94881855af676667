// SPDX-License-Identifier: Apache-2.0
// Loads and costs of paths against walking them one by one, on networks flat and deep; and which of many times count.
#include "model/transfer/path_loads.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "algorithms/trees/unaware_k_ary.hpp"
#include "network/link_taken.hpp"
#include "networks.hpp"
#include "plan/tree_ways.hpp"

namespace trunkline {
namespace {

/// A long line of switches: paths are long, and many transfers share them.
Cluster line_of_switches(NodeId switches) {
  Cluster::Parts parts{.name = "line", .description = "", .nodes = {}, .links = {}};
  for (NodeId id = 0; id < switches; ++id) {
    parts.nodes.push_back({.name = "s" + std::to_string(id), .kind = NodeKind::network_switch});
    if (id > 0)
      parts.links.push_back(
          {.a = id - 1, .b = id, .rate_bps = 1e9 * (1 + id % 3), .latency_s = 1e-6, .width = 1 + id % 4});
  }
  for (NodeId host = 0; host < switches; ++host) {
    parts.nodes.push_back({.name = "h" + std::to_string(host), .kind = NodeKind::host});
    parts.links.push_back({.a = switches + host, .b = host, .rate_bps = 1e9, .latency_s = 1e-6});
  }
  return Cluster(std::move(parts));
}

void expect_near(double found, double right) { RC_ASSERT(std::abs(found - right) <= 1e-9 * right + 1e-18); }

void expect_as_walked(const Cluster& cluster, std::size_t transfers) {
  const Paths paths(cluster);
  PathLoads loads(paths);
  PathLoads costs(paths);
  const auto hosts = static_cast<HostIndex>(cluster.hosts().size());
  for (int times = 0; times < 2; ++times) {  // the second time what is left of the first would show
    std::vector<double> load(cluster.channel_count(), 0.0);
    std::map<std::pair<ChannelId, std::uint32_t>, double> on_link;
    std::size_t crossings = 0;
    for (std::size_t i = 0; i < transfers; ++i) {
      const auto sender = *rc::gen::inRange<HostIndex>(0, hosts);
      const auto receiver = *rc::gen::inRange<HostIndex>(0, hosts);
      const NodeId from = cluster.hosts()[sender];
      const NodeId to = cluster.hosts()[receiver];
      if (from == to) continue;
      const double amount = *rc::gen::inRange(1, 4);
      loads.add(from, to, amount);
      costs.add(from, to, amount);
      for (const ChannelId channel : cluster.path(from, to)) {
        load[channel] += amount;
        on_link[{channel, link_taken(sender, receiver, cluster.link_of(channel).width)}] += amount;
        ++crossings;
      }
    }
    loads.settle_loads();
    costs.settle();
    for (ChannelId channel = 0; channel < load.size(); ++channel) RC_ASSERT(loads.load(channel) == load[channel]);
    double busiest = 0.0;
    for (const PathLoads::Transfer& transfer : loads.transfers()) {
      PathCost right;
      const auto path = cluster.path(transfer.from, transfer.to);
      for (const ChannelId channel : path) {
        const Link& link = cluster.link_of(channel);
        const double on_its_link = std::max(load[channel] / link.width, transfer.amount);
        right.slowest_byte_s = std::max(right.slowest_byte_s, on_its_link * 8.0 / link.rate_bps);
        right.byte_s += 8.0 / cluster.link_of(channel).rate_bps;
        right.latency_s += cluster.link_of(channel).latency_s;
      }
      busiest = std::max(busiest, right.slowest_byte_s);
      const PathCost found = costs.cost(transfer);
      expect_near(found.slowest_byte_s, right.slowest_byte_s);
      expect_near(found.byte_s, right.byte_s);
      expect_near(found.latency_s, right.latency_s);
      expect_near(found.first_byte_s, paths.byte_s(path.front()));
    }
    expect_near(loads.slowest_byte_s(), busiest);
    if (crossings <= 64 * cluster.nodes().size()) {  // beyond that as even as above
      for (const auto& [link, amount] : on_link) {
        busiest = std::max(busiest, amount * 8.0 / cluster.link_of(link.first).rate_bps);
      }
    }
    expect_near(loads.fullest_byte_s(), busiest);
    loads.clear();
    costs.clear();
  }
}

RC_GTEST_PROP(PathLoads, AreThoseOfWalkedPaths, ()) {
  expect_as_walked(Cluster(testing::random_parts(12, 30)), *rc::gen::inRange<std::size_t>(0, 300));
}

RC_GTEST_PROP(PathLoads, OfOneTransferAreThoseOfItsPath, ()) {
  expect_as_walked(Cluster(testing::random_parts(12, 30)), 1);
  expect_as_walked(line_of_switches(*rc::gen::inRange<NodeId>(2, 120)), 1);
}

RC_GTEST_PROP(PathLoads, AreThoseOfWalkedPathsWhereTheseAreLong, ()) {
  expect_as_walked(line_of_switches(*rc::gen::inRange<NodeId>(2, 120)), *rc::gen::inRange<std::size_t>(0, 200));
}

TEST(PathLoads, OfFlowsOverABundleEvenOrHashed) {
  const auto slowest = [](std::uint32_t width, unsigned flows) {
    const Cluster cluster = parse_cluster(
        "trunkline: cluster/1\nname: x\ndefaults: {rate: 8Mbit}\nswitches: 's[0-1]'\nhosts:\n"
        "  - {hosts: 'a[0-3]', switch: s0}\n  - {hosts: 'b[0-3]', switch: s1}\nlinks:\n"
        "  - {between: [s0, s1], rate: " +
            std::to_string(width) + "x4Mbit}\n",
        "x.yaml");
    const Paths paths(cluster);
    PathLoads loads(paths);
    for (HostIndex host = 0; host < flows; ++host) loads.add(cluster.hosts()[host], cluster.hosts()[host + 4], 1.0);
    loads.settle_loads();
    return std::pair(loads.slowest_byte_s(), loads.fullest_byte_s());
  };
  EXPECT_DOUBLE_EQ(slowest(1, 1).first, 2e-6);
  EXPECT_DOUBLE_EQ(slowest(1, 4).first, 8e-6);
  EXPECT_DOUBLE_EQ(slowest(2, 1).first, 2e-6);  // min(rate, width * rate / flows) for each
  EXPECT_DOUBLE_EQ(slowest(2, 2).first, 2e-6);
  EXPECT_DOUBLE_EQ(slowest(2, 3).first, 3e-6);
  EXPECT_DOUBLE_EQ(slowest(8, 4).first, 2e-6);
  for (const std::uint32_t width : {2U, 8U}) {
    for (HostIndex flows = 1; flows <= 4; ++flows) {
      std::vector<int> on_link(width, 0);
      for (HostIndex host = 0; host < flows; ++host) ++on_link[link_taken(host, host + 4, width)];
      const double fullest = std::max(2e-6 * *std::ranges::max_element(on_link), slowest(width, flows).first);
      EXPECT_DOUBLE_EQ(slowest(width, flows).second, fullest) << width << ", " << flows;
    }
  }
}

RC_GTEST_PROP(Paths, MeetWhereWalksDo, ()) {
  const Cluster cluster(testing::random_parts(40, 20));
  const Paths paths(cluster);
  for (NodeId u = 0; u < cluster.nodes().size(); ++u) {
    for (NodeId v = 0; v < cluster.nodes().size(); ++v) {
      RC_ASSERT(paths.length(u, v, paths.meeting(u, v)) == cluster.path(u, v).size());
    }
  }
}

RC_GTEST_PROP(Paths, AreAsSlowAsTheirSlowestChannel, ()) {
  const Cluster cluster(testing::random_parts(40, 20));
  const Paths paths(cluster);
  for (NodeId u = 0; u < cluster.nodes().size(); ++u) {
    for (NodeId v = 0; v < cluster.nodes().size(); ++v) {
      double slowest_s = 0.0;
      for (const ChannelId channel : cluster.path(u, v)) slowest_s = std::max(slowest_s, paths.byte_s(channel));
      RC_ASSERT(paths.slowest_byte_s(u, v, paths.meeting(u, v)) == slowest_s);
    }
  }
}

RC_GTEST_PROP(HighestLines, AreHighestEverywhereTogether, ()) {
  std::vector<Line> lines(*rc::gen::inRange<std::size_t>(1, 40));
  for (Line& line : lines) line = {1.0 * *rc::gen::inRange(0, 30), 1.0 * *rc::gen::inRange(0, 1000)};
  const double from = *rc::gen::inRange(0, 50);
  const double to = from + *rc::gen::inRange(0, 50);
  const auto places = highest_lines(lines, from, to);
  RC_ASSERT(places.size() <= lines.size());
  for (double x = from; x <= to; x += 0.5) {
    const auto at = [&](const Line& line) { return line.slope * x + line.height; };
    double highest = 0.0;
    for (const std::size_t place : places) highest = std::max(highest, at(lines[place]));
    RC_ASSERT(highest == std::ranges::max(lines, {}, at).slope * x + std::ranges::max(lines, {}, at).height);
  }
}

TEST(HighestLines, AreNoMoreThanNeeded) {
  const std::vector<Line> lines{{1, 0}, {1, 0}, {0, 5}, {0.5, 2.5}, {2, -100}};
  EXPECT_EQ(highest_lines(lines, 0, 50), (std::vector<std::size_t>{2, 0}));
  EXPECT_EQ(highest_lines(lines, 10, 50), (std::vector<std::size_t>{0}));
}

RC_GTEST_PROP(PathLoads, TransfersAddedAgainLoadAsEachByItself, ()) {
  const Cluster cluster(testing::random_parts(6, 12));
  const Paths paths(cluster);
  PathLoads together(paths);
  PathLoads single(paths);
  const auto hosts = static_cast<HostIndex>(cluster.hosts().size());
  const double amount = 1.0 / *rc::gen::inRange(1, 50);
  for (int i = 0; i < 30; ++i) {
    const NodeId from = cluster.hosts()[*rc::gen::inRange<HostIndex>(0, hosts)];
    const NodeId to = cluster.hosts()[*rc::gen::inRange<HostIndex>(0, hosts)];
    if (from == to) continue;
    together.add(from, to, amount);
    single.add(from, to, amount);
    for (int more = *rc::gen::inRange(0, 4); more > 0; --more) {
      const auto place = *rc::gen::inRange<std::size_t>(0, together.transfers().size());
      together.add_again(place);
      single.add(together.transfers()[place].from, together.transfers()[place].to, amount);
    }
  }
  together.settle_loads();
  single.settle_loads();
  for (ChannelId channel = 0; channel < cluster.channel_count(); ++channel) {
    RC_ASSERT(together.load(channel) == single.load(channel));
  }
  RC_ASSERT(together.slowest_byte_s() == single.slowest_byte_s());
  RC_ASSERT(together.fullest_byte_s() == single.fullest_byte_s());
}

}  // namespace
}  // namespace trunkline
