// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/packed_by_sites.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "algorithms/registry.hpp"
#include "algorithms/trees/by_sites.hpp"
#include "choose/alternatives.hpp"
#include "choose/choose.hpp"
#include "kinds/trees/trees.hpp"
#include "network/long_links.hpp"
#include "network/routes.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

/// A site a switch, with one to three hosts or none, and more long links than a tree has.
Cluster random_sites(bool may_be_empty) {
  const auto sites = *rc::gen::inRange<NodeId>(2, 6);
  Cluster::Parts parts{.name = "sites", .description = "", .nodes = {}, .links = {}, .paths = UsedPaths::shortest};
  for (NodeId site = 0; site < sites; ++site) {
    parts.nodes.push_back({.name = "s" + std::to_string(site), .kind = NodeKind::network_switch});
  }
  const auto join = [&](NodeId a, NodeId b) {
    const double rate = testing::mbit * *rc::gen::element(10, 20, 30, 60);
    parts.links.push_back({.a = a, .b = b, .rate_bps = rate, .latency_s = 1e-3 * *rc::gen::inRange(1, 30)});
  };
  for (NodeId site = 1; site < sites; ++site) join(*rc::gen::inRange<NodeId>(0, site), site);
  for (int more = *rc::gen::inRange(1, 6); more > 0; --more) {
    const auto a = *rc::gen::inRange<NodeId>(0, sites);
    join(a, (a + *rc::gen::inRange<NodeId>(1, sites)) % sites);
  }
  for (NodeId site = 0; site < sites; ++site) {
    for (int hosts = *rc::gen::inRange(may_be_empty && site > 0 ? 0 : 1, 4); hosts > 0; --hosts) {
      parts.links.push_back({site, static_cast<NodeId>(parts.nodes.size()), 100 * testing::mbit, 10e-6});
      parts.nodes.push_back({.name = "h" + std::to_string(parts.nodes.size()), .kind = NodeKind::host});
    }
  }
  return Cluster(std::move(parts));
}

Placement one_each(const Cluster& cluster) {
  Placement placement;
  for (HostIndex host = 0; host < cluster.hosts().size(); ++host) placement.push_back(host);
  return placement;
}

std::map<ChannelId, double> loads_of_long(const Cluster& cluster, const Placement& placement,
                                          const std::vector<Tree>& trees) {
  const std::vector<bool> is_long = long_links_of(cluster);
  std::map<ChannelId, double> loads;
  for (const Tree& tree : trees) {
    for (Rank rank = 0; rank < tree.size(); ++rank) {
      if (rank == tree.root) continue;
      const NodeId from = cluster.hosts()[placement[tree.parent[rank]]];
      for (const ChannelId channel : cluster.path(from, cluster.hosts()[placement[rank]])) {
        if (is_long[channel / 2]) loads[channel] += 1.0 / static_cast<double>(trees.size());
      }
    }
  }
  return loads;
}

RC_GTEST_PROP(PackedBySites, EnterEachSiteOnceInEachTree, ()) {
  const Cluster cluster = random_sites(*rc::gen::arbitrary<bool>());
  const Placement placement = testing::random_placement(cluster, 12);
  const Rank root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const Sites sites = sites_of(cluster);
  const auto site = [&](Rank rank) { return sites.of_node[cluster.hosts()[placement[rank]]]; };
  std::map<SiteId, int> ranks_on;
  for (Rank rank = 0; rank < placement.size(); ++rank) ++ranks_on[site(rank)];
  const std::vector<Tree> trees = packed_by_sites(cluster, placement, root, *rc::gen::inRange(1U, 5U), Direction::down);
  RC_ASSERT(trees.size() <= most_packed_trees);
  check_trees(trees);
  for (const Tree& tree : trees) {
    RC_ASSERT(tree.root == root);
    std::size_t crossings = 0;
    for (Rank rank = 0; rank < tree.size(); ++rank) {
      crossings += rank != root && site(rank) != site(tree.parent[rank]) ? 1 : 0;
    }
    RC_ASSERT(crossings == ranks_on.size() - 1);
  }
}

/// Each site has a rank and one switch: then every message goes along the arc that it was packed for.
RC_GTEST_PROP(PackedBySites, LoadLongLinksAsTheyWerePacked, ()) {
  const Cluster cluster = random_sites(false);
  RC_PRE(cluster.routes() != nullptr);
  const Placement placement = one_each(cluster);
  const RoutedSites sites = routed_sites(cluster, placement, Direction::down);
  const std::uint32_t root = sites.site_of_node[cluster.hosts()[placement[0]]];
  const Packing packing = pack_arborescences(sites.graph, root, most_packed_trees, 100 * testing::mbit);
  const std::vector<Tree> trees = packed_by_sites(cluster, placement, 0, 1, Direction::down);
  RC_ASSERT(trees.size() == packing.trees.size());
  for (const auto& [channel, load] : loads_of_long(cluster, placement, trees)) {
    RC_ASSERT(load * packing.rate <= cluster.way(channel).rate_bps * (1.0 + 1e-6));
  }
}

RC_GTEST_PROP(PackedBySites, AreOneTreeWherePathsAreThoseOfATree, ()) {
  Cluster::Parts parts = random_sites(true).stated();
  parts.paths = UsedPaths::spanning_tree;
  const Cluster cluster(std::move(parts));
  const Placement placement = testing::random_placement(cluster, 12);
  const std::vector<Tree> trees = packed_by_sites(cluster, placement, 0, 2, Direction::down);
  RC_ASSERT(trees.size() == 1);
  RC_ASSERT(trees.front().parent == by_sites_tree(cluster, placement, 0, 2).parent);
}

/// Two sites, two links that start and end at switches of their own, and hosts on all four.
const std::string two_links =
    "trunkline: cluster/1\nname: two-links\ndefaults: {rate: 100Mbit, latency: 10us}\npaths: shortest\n"
    "switches: [a1, a2, b1, b2]\nhosts:\n  - {hosts: 'h[0-2]', switch: a1}\n  - {hosts: 'h[3-5]', switch: a2}\n"
    "  - {hosts: 'h[6-8]', switch: b1}\n  - {hosts: 'h[9-11]', switch: b2}\nlinks:\n"
    "  - {between: [a1, a2], rate: 1Gbit}\n  - {between: [b1, b2], rate: 1Gbit}\n"
    "  - {between: [a1, b1], rate: 20Mbit, latency: 10ms}\n  - {between: [a2, b2], rate: 10Mbit, latency: 10ms}\n";

TEST(PackedBySites, CrossBothLinksAsOftenAsTheirRatesAllow) {
  const Cluster cluster = parse_cluster(two_links, "two-links.yaml");
  const Placement placement = one_each(cluster);
  for (const Rank root : {0U, 4U, 11U}) {
    for (const unsigned k : {1U, 2U}) {
      const std::vector<Tree> trees = packed_by_sites(cluster, placement, root, k, Direction::down);
      ASSERT_EQ(trees.size(), 3U);
      for (const auto& [channel, load] : loads_of_long(cluster, placement, trees)) {
        EXPECT_NEAR(load, cluster.way(channel).rate_bps / (30 * testing::mbit), 1e-9) << cluster.channel_name(channel);
      }
    }
  }
}

TEST(PackedBySites, AreTakenForLongMessagesAlone) {
  const Cluster cluster = parse_cluster(two_links, "two-links.yaml");
  const Placement placement = one_each(cluster);
  const auto chosen = [&](std::uint64_t bytes) {
    return pick(alternatives_of(Collective::bcast, cluster, placement, 0, NativeLibrary::mpich), bytes).algorithm;
  };
  EXPECT_EQ(std::string(chosen(8)).find("packed"), std::string::npos);
  EXPECT_NE(std::string(chosen(std::uint64_t{1} << 20)).find("packed"), std::string::npos);
}

TEST(PackedBySites, GoTheOtherWayForReductions) {
  std::string yaml = two_links;
  const std::string there = "{between: [a2, b2], rate: 10Mbit, latency: 10ms}";
  yaml.replace(yaml.find(there), there.size(),
               "{between: [a2, b2], rate: 10Mbit, latency: 10ms, back: {rate: 20Mbit}}");
  const Cluster cluster = parse_cluster(yaml, "two-links.yaml");
  EXPECT_EQ(packed_by_sites(cluster, one_each(cluster), 0, 1, Direction::down).size(), 3U);
  EXPECT_EQ(packed_by_sites(cluster, one_each(cluster), 0, 1, Direction::up).size(), 2U);
  EXPECT_EQ(packed_by_sites(cluster, one_each(cluster), 0, 1, Direction::up_and_down).size(), 3U);
}

}  // namespace
}  // namespace trunkline
