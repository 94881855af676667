// SPDX-License-Identifier: Apache-2.0
#include "network/routes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "kinds/trees/trees.hpp"
#include "model/transfer/path_loads.hpp"
#include "network/fingerprint.hpp"
#include "network/long_links.hpp"
#include "network/paths.hpp"
#include "network/with_speeds.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using testing::random_routed;

/// Latency in whole nanoseconds, and links, of the shortest way between any two nodes, by relaxing all links.
std::vector<std::vector<std::pair<long long, int>>> shortest_ways(const Cluster& cluster) {
  const std::size_t nodes = cluster.nodes().size();
  std::vector least(nodes, std::vector(nodes, std::pair(1'000'000'000'000LL, 0)));
  for (std::size_t node = 0; node < nodes; ++node) least[node][node] = {0, 0};
  for (std::size_t pass = 0; pass < nodes; ++pass) {
    for (const Link& link : cluster.links()) {
      const long long ns = std::llround(link.mean_latency_s() * 1e9);
      for (std::size_t to = 0; to < nodes; ++to) {
        const auto by = [&](NodeId next) { return std::pair(least[next][to].first + ns, least[next][to].second + 1); };
        least[link.a][to] = std::min(least[link.a][to], by(link.b));
        least[link.b][to] = std::min(least[link.b][to], by(link.a));
      }
    }
  }
  return least;
}

RC_GTEST_PROP(Routes, AreTheShortestPathsAndAlikeBothWays, ()) {
  const Cluster cluster = random_routed();
  const auto shortest = shortest_ways(cluster);
  const auto nodes = static_cast<NodeId>(cluster.nodes().size());
  for (NodeId u = 0; u < nodes; ++u) {
    for (NodeId v = 0; v < nodes; ++v) {
      const std::vector<ChannelId> there = cluster.path(u, v);
      NodeId at = u;
      long long ns = 0;
      for (const ChannelId channel : there) {
        RC_ASSERT(cluster.channel_from(channel) == at);
        at = cluster.channel_to(channel);
        ns += std::llround(cluster.link_of(channel).mean_latency_s() * 1e9);
      }
      RC_ASSERT(at == v);
      if (cluster.routes() == nullptr) continue;  // all links are in the tree
      RC_ASSERT(std::pair(ns, static_cast<int>(there.size())) == shortest[u][v]);
      std::vector<ChannelId> back = cluster.path(v, u);
      std::ranges::reverse(back);
      RC_ASSERT(std::ranges::equal(there, back, {}, {}, [](ChannelId channel) { return channel ^ 1U; }));
    }
  }
}

RC_GTEST_PROP(Routes, UseTheLinksThatHostsAndTreeCross, ()) {
  const Cluster cluster = random_routed();
  std::set<LinkId> crossed;
  for (const NodeId u : cluster.hosts()) {
    for (const NodeId v : cluster.hosts()) {
      for (const ChannelId channel : cluster.path(u, v)) crossed.insert(channel / 2);
    }
  }
  for (LinkId link = 0; link < cluster.links().size(); ++link) {
    RC_ASSERT(cluster.is_used(link) == (cluster.links()[link].in_tree || crossed.contains(link)));
  }
}

RC_GTEST_PROP(Routes, AreWhatPathsAndLoadsAnswer, ()) {
  const Cluster cluster = random_routed();
  const Paths paths(cluster);
  PathLoads loads(paths);
  std::map<ChannelId, double> load;
  std::vector<PathLoads::Transfer> transfers;
  for (int many = *rc::gen::inRange(1, 30); many > 0; --many) {
    const auto host = [&] { return cluster.hosts()[*rc::gen::inRange<std::size_t>(0, cluster.hosts().size())]; };
    const NodeId u = host();
    const NodeId v = host();
    if (u == v) continue;
    double latency_s = 0.0;
    double slowest_s = 0.0;
    double byte_s = 0.0;
    for (const ChannelId channel : cluster.path(u, v)) {
      latency_s += cluster.way(channel).latency_s;
      byte_s += 8.0 / cluster.way(channel).rate_bps;
      slowest_s = std::max(slowest_s, 8.0 / cluster.way(channel).rate_bps);
      load[channel] += 1.0;
    }
    const NodeId meeting = paths.meeting(u, v);
    RC_ASSERT(std::abs(paths.latency_s(u, v, meeting) - latency_s) < 1e-12);
    RC_ASSERT(std::abs(paths.byte_s(u, v, meeting) - byte_s) < 1e-12);
    RC_ASSERT(paths.slowest_byte_s(u, v, meeting) == slowest_s);
    RC_ASSERT(paths.length(u, v, meeting) == cluster.path(u, v).size());
    loads.add(u, v, 1.0);
  }
  loads.settle();
  if (loads.transfers().size() < 2) return;  // its path is not walked
  for (ChannelId channel = 0; channel < cluster.channel_count(); ++channel) {
    RC_ASSERT(loads.load(channel) == load[channel]);
  }
}

RC_GTEST_PROP(Routes, CountSendersAsContentionDoes, ()) {
  const Cluster cluster = random_routed();
  const Placement placement = testing::random_placement(cluster, 20);
  Tree tree = root_alone(static_cast<Rank>(placement.size()), 0);
  for (Rank rank = 1; rank < placement.size(); ++rank) add_child(tree, *rc::gen::inRange<Rank>(0, rank), rank);
  std::map<ChannelId, std::set<Rank>> senders;
  std::uint32_t most = 0;
  for (Rank rank = 1; rank < placement.size(); ++rank) {
    const NodeId from = cluster.hosts()[placement[tree.parent[rank]]];
    for (const ChannelId channel : cluster.path(from, cluster.hosts()[placement[rank]])) {
      senders[channel].insert(tree.parent[rank]);
      most = std::max(most, static_cast<std::uint32_t>(senders[channel].size()));
    }
  }
  RC_ASSERT(contention_of(cluster, placement, tree).most_senders == most);
}

const std::string ring_of_sites =
    "trunkline: cluster/1\nname: ring\ndefaults: {rate: 100Mbit, latency: 10us}\npaths: PATHS\n"
    "switches: [a, b, c]\nhosts:\n  - {hosts: 'h[0-1]', switch: a}\n  - {hosts: 'h[2-3]', switch: b}\n"
    "  - {hosts: 'h[4-5]', switch: c}\nlinks:\n  - {between: [a, b], rate: 50Mbit, latency: 5ms}\n"
    "  - {between: [b, c], rate: 20Mbit, latency: 5ms}\n  - {between: [a, c], rate: 50Mbit, latency: 5ms}\n";

Cluster ring(const std::string& paths) {
  std::string yaml = ring_of_sites;
  return parse_cluster(yaml.replace(yaml.find("PATHS"), 5, paths), "ring.yaml");
}

TEST(Routes, OfARingCrossEachLinkDirectly) {
  const Cluster cluster = ring("shortest");
  EXPECT_EQ(cluster.path(cluster.hosts()[2], cluster.hosts()[4]).size(), 3U);
  EXPECT_TRUE(cluster.unused_links().empty());
  const Cluster tree = ring("spanning-tree");
  EXPECT_EQ(tree.path(tree.hosts()[2], tree.hosts()[4]).size(), 4U);
  EXPECT_EQ(tree.unused_links().size(), 1U);
  EXPECT_NE(cluster.fingerprint(), tree.fingerprint());
  EXPECT_NE(topology_fingerprint(cluster), topology_fingerprint(tree));
  EXPECT_EQ(sites_of(cluster).count, 3U);
}

TEST(Routes, AreThereOnlyWhereTheSpanningTreeLeavesLinksOut) {
  const std::string yaml = ring_of_sites.substr(0, ring_of_sites.find("  - {between: [b, c]"));
  std::string two = yaml + "  - {between: [b, c], latency: 5ms}\n";
  const Cluster line = parse_cluster(two.replace(two.find("PATHS"), 5, "shortest"), "line.yaml");
  EXPECT_EQ(line.routes(), nullptr);
}

TEST(Routes, StandInTheFileThatIsWritten) {
  const Cluster cluster = ring("shortest");
  const std::string yaml = write_cluster(cluster);
  EXPECT_NE(yaml.find("paths: shortest\n"), std::string::npos);
  EXPECT_EQ(parse_cluster(yaml, "again.yaml").fingerprint(), cluster.fingerprint());
  EXPECT_NE(Cluster(cluster.stated()).routes(), nullptr);
}

TEST(Routes, OfMoreSwitchesThanTablesHoldAreRefused) {
  std::string yaml =
      "trunkline: cluster/1\nname: many\ndefaults: {rate: 1Gbit, latency: 1us}\npaths: shortest\n"
      "switches: s[0-1024]\nhosts:\n  - {hosts: h0, switch: s0}\nlinks:\n";
  for (int at = 1; at <= 1024; ++at) {
    yaml += "  - {between: [s" + std::to_string(at - 1) + ", s" + std::to_string(at) + "]}\n";
  }
  try {
    static_cast<void>(parse_cluster(yaml, "many.yaml"));
    FAIL() << "no fault";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("up to 1024 switches"), std::string::npos) << error.what();
  }
}

/// Short links join a site even where long ones are faster.
TEST(Routes, LeaveSitesWhole) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: fast\ndefaults: {rate: 100Mbit, latency: 10us}\npaths: shortest\n"
      "switches: [a1, a2, b1, b2]\nhosts:\n  - {hosts: h0, switch: a1}\n  - {hosts: h1, switch: a2}\n"
      "  - {hosts: h2, switch: b1}\n  - {hosts: h3, switch: b2}\nlinks:\n  - {between: [a1, a2]}\n"
      "  - {between: [b1, b2]}\n  - {between: [a1, b1], rate: 1Gbit, latency: 5ms}\n"
      "  - {between: [a2, b2], rate: 1Gbit, latency: 5ms}\n",
      "fast.yaml");
  EXPECT_EQ(sites_of(cluster).count, 2U);
}

}  // namespace
}  // namespace trunkline
