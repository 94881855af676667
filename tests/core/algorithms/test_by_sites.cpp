// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/by_sites.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <stdexcept>

#include "algorithms/registry.hpp"
#include "algorithms/trees/k_ary.hpp"
#include "kinds/trees/trees.hpp"
#include "network/long_links.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

std::map<ChannelId, int> crossings_of_long_links(const Cluster& cluster, const Placement& placement, const Tree& tree) {
  const std::vector<bool> is_long = long_links_of(cluster);
  std::map<ChannelId, int> crossings;
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    if (rank == tree.root) continue;
    const NodeId from = cluster.hosts()[placement[tree.parent[rank]]];
    for (const ChannelId channel : cluster.path(from, cluster.hosts()[placement[rank]])) {
      if (is_long[channel / 2]) ++crossings[channel];
    }
  }
  return crossings;
}

/// What is behind a channel, away from the root: how often it must be crossed, and how many sites with ranks are there.
struct Behind {
  const Cluster& cluster;
  const Placement& placement;
  std::vector<bool> is_long = long_links_of(cluster);
  Sites sites = sites_of(cluster);

  [[nodiscard]] bool has_ranks(SiteId site) const {
    return std::ranges::any_of(placement, [&](HostIndex host) { return sites.of_node[cluster.hosts()[host]] == site; });
  }

  /// Once where the first site behind has ranks, else once for each that is served through it.
  [[nodiscard]] int needed(ChannelId channel) const {
    const SiteId site = sites.of_node[cluster.channel_to(channel)];
    return has_ranks(site) ? 1 : needed_beyond(cluster.channel_to(channel), channel ^ 1U);
  }

  [[nodiscard]] int needed_beyond(NodeId at, ChannelId back) const {
    int sum = 0;
    for (const Cluster::Hop& hop : cluster.neighbours(at)) {
      if (hop.channel == back) continue;
      sum += is_long[hop.channel / 2] ? needed(hop.channel) : needed_beyond(hop.to, hop.channel ^ 1U);
    }
    return sum;
  }
};

RC_GTEST_PROP(BySites, CrossEachLongLinkOnceAndNeverBack, ()) {
  const Cluster cluster(testing::with_long_links(testing::random_parts(9, 24)));
  const Placement placement = testing::random_placement(cluster, 40);
  const Rank root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto k = *rc::gen::inRange(1U, 9U);
  const Tree tree = by_sites_tree(cluster, placement, root, k);
  check_tree(tree);
  RC_ASSERT(tree.root == root);
  auto crossings = crossings_of_long_links(cluster, placement, tree);
  const Behind behind{cluster, placement};
  const NodeId start = cluster.hosts()[placement[root]];
  for (NodeId node = 0; node < cluster.nodes().size(); ++node) {
    if (node == start) continue;
    const ChannelId towards = cluster.path(start, node).back();
    if (!behind.is_long[towards / 2]) continue;
    RC_ASSERT(crossings[towards] == behind.needed(towards));
    RC_ASSERT(crossings[towards ^ 1U] == 0);
  }
}

RC_GTEST_PROP(BySites, SendNoMoreThanTheyMayWhereSitesHaveRanksEnough, ()) {
  const Cluster cluster(testing::with_long_links(testing::random_parts(7, 24)));
  const Placement placement = testing::random_placement(cluster, 40);
  const auto k = *rc::gen::inRange(2U, 5U);
  const Sites sites = sites_of(cluster);
  std::map<SiteId, std::set<HostIndex>> hosts_of;
  for (const HostIndex host : placement) hosts_of[sites.of_node[cluster.hosts()[host]]].insert(host);
  // No host of a site sends more than k where n of them can serve all other sites there are, and each other.
  for (const auto& [site, hosts] : hosts_of) RC_PRE(hosts_of.size() - 1 <= hosts.size() * (k - 1) + 1);
  const Tree tree = by_sites_tree(cluster, placement, 0, k);
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    const auto leaves_host = [&](Rank child) { return placement[child] != placement[rank]; };
    RC_ASSERT(std::ranges::count_if(tree.children[rank], leaves_host) <= static_cast<std::ptrdiff_t>(k));
    RC_ASSERT(tree.children[rank].size() <= 2 * k);
  }
}

/// A tree of sites, each of one switch.
Cluster sites_of_one_switch() {
  const auto sites = *rc::gen::inRange<NodeId>(1, 7);
  Cluster::Parts parts{.name = "sites", .description = "", .nodes = {}, .links = {}};
  for (NodeId site = 0; site < sites; ++site) {
    parts.nodes.push_back({.name = "s" + std::to_string(site), .kind = NodeKind::network_switch});
    if (site > 0) parts.links.push_back({*rc::gen::inRange<NodeId>(0, site), site, 1e8, 0.02});
  }
  for (NodeId site = 0; site < sites; ++site) {
    for (NodeId more = *rc::gen::inRange<NodeId>(1, 7); more > 0; --more) {
      const auto host = static_cast<NodeId>(parts.nodes.size());
      parts.nodes.push_back({.name = "h" + std::to_string(host), .kind = NodeKind::host});
      parts.links.push_back({host, site, 1e8, 1e-5});
    }
  }
  return Cluster(parts);
}

RC_GTEST_PROP(BySites, HaveNoContentionWhereLongLinksMeetAtTheSwitchOfTheSitesHosts, ()) {
  const Cluster cluster = sites_of_one_switch();
  const Placement placement = block_placement(cluster, *rc::gen::inRange(1U, 4U));
  const Rank root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const Tree tree = by_sites_tree(cluster, placement, root, *rc::gen::inRange(1U, 6U));
  RC_ASSERT(contention_of(cluster, placement, tree).contention_free);
}

RC_GTEST_PROP(BySites, AreKAryTreesWhereThereIsOneSite, ()) {
  const Cluster cluster(testing::random_parts(6, 16));
  const Placement placement = testing::random_placement(cluster, 24);
  const Rank root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto k = *rc::gen::inRange(2U, 6U);
  RC_ASSERT(by_sites_tree(cluster, placement, root, k).children == k_ary_tree(cluster, placement, root, k).children);
}

/// Two, or three where more than one site is beyond.
RC_GTEST_PROP(BySites, AreLinesOnWhichARankHasFewNeighbours, ()) {
  const Cluster cluster = sites_of_one_switch();
  const Placement placement = block_placement(cluster, 1);
  const Rank root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const Tree tree = by_sites_tree(cluster, placement, root, 1);
  const Sites sites = sites_of(cluster);
  const auto site_of = [&](Rank rank) { return sites.of_node[cluster.hosts()[placement[rank]]]; };
  std::map<SiteId, std::size_t> beyond;
  std::map<SiteId, std::size_t> hosts;
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    ++hosts[site_of(rank)];
    const auto leaves = [&](Rank child) { return site_of(child) != site_of(rank); };
    beyond[site_of(rank)] += static_cast<std::size_t>(std::ranges::count_if(tree.children[rank], leaves));
  }
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    const std::size_t neighbours = tree.children[rank].size() + (rank == tree.root ? 0 : 1);
    const SiteId site = site_of(rank);
    RC_ASSERT(neighbours <= (beyond[site] <= 1 ? 2 : 2 + (beyond[site] + hosts[site] - 1) / hosts[site]));
  }
}

TEST(BySites, ServeTheFarthestFirst) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/four-site.yaml");
  const Tree tree = by_sites_tree(cluster, block_placement(cluster, 1), 0, 3);
  EXPECT_EQ(tree.children[0], (std::vector<Rank>{16, 8, 1}));  // 10 ms and 40 behind it, 1 ms, its own site
  EXPECT_EQ(tree.children[16].front(), 24U);
}

TEST(BySites, SendMoreThanTheyMayRatherThanLeaveASiteOut) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: star\ndefaults: {rate: 1Gbit, latency: 10us}\nswitches: s[0-4]\nhosts:\n"
      "  - {hosts: 'h[0-4]', switches: 's[0-4]', deal: 1}\nlinks:\n"
      "  - {between: [s0, s1], latency: 1ms}\n  - {between: [s0, s2], latency: 3ms}\n"
      "  - {between: [s0, s3], latency: 4ms}\n  - {between: [s0, s4], latency: 2ms}\n",
      "star.yaml");
  EXPECT_EQ(by_sites_tree(cluster, block_placement(cluster, 1), 0, 2).children[0], (std::vector<Rank>{3, 2, 4, 1}));
}

TEST(BySites, RefuseWhatIsOutOfRange) {
  const Cluster cluster = testing::one_switch(3);
  EXPECT_THROW(static_cast<void>(by_sites_tree(cluster, {0, 1}, 2, 2)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(by_sites_tree(cluster, {0, 3}, 0, 2)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(by_sites_tree(cluster, {0, 1}, 0, 0)), std::invalid_argument);
}

}  // namespace
}  // namespace trunkline
