// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/middle.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "algorithms/registry.hpp"
#include "algorithms/trees/by_sites.hpp"
#include "kinds/trees/trees.hpp"
#include "network/long_links.hpp"
#include "networks.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

double latency_between(const Cluster& cluster, const Placement& placement, Rank from, Rank to) {
  double latency_s = 0.0;
  for (const ChannelId channel : cluster.path(cluster.hosts()[placement[from]], cluster.hosts()[placement[to]])) {
    latency_s += cluster.link_of(channel).latency_s;
  }
  return latency_s;
}

double farthest_s(const Cluster& cluster, const Placement& placement, Rank from) {
  double farthest = 0.0;
  for (Rank to = 0; to < placement.size(); ++to)
    farthest = std::max(farthest, latency_between(cluster, placement, from, to));
  return farthest;
}

double longest_way_s(const Cluster& cluster, const Placement& placement) {
  double longest = 0.0;
  for (Rank from = 0; from < placement.size(); ++from)
    longest = std::max(longest, farthest_s(cluster, placement, from));
  return longest;
}

/// Until all ranks have the result of a message without bytes, by latencies alone.
double seconds_of(const Cluster& cluster, const Placement& placement, const Tree& tree) {
  const std::function<double(Rank)> reach = [&](Rank rank) {
    double most = 0.0;
    for (const Rank child : tree.children[rank]) {
      if (child == tree.exchange) continue;
      most = std::max(most, latency_between(cluster, placement, rank, child) + reach(child));
    }
    return most;
  };
  const double root_s = reach(tree.root);
  if (tree.exchange == no_rank) return 2.0 * root_s;
  const double other_s = reach(tree.exchange);
  const double between_s = latency_between(cluster, placement, tree.root, tree.exchange);
  return std::max({2.0 * root_s, 2.0 * other_s, root_s + between_s + other_s});
}

constexpr double fast_bps = 1e11;

/// A tree of sites, each of one switch without a delay of its own, some of them perhaps without hosts.
Cluster random_sites(NodeId least_hosts) {
  const auto sites = *rc::gen::inRange<NodeId>(2, 9);
  Cluster::Parts parts{.name = "sites", .description = "", .nodes = {}, .links = {}};
  for (NodeId site = 0; site < sites; ++site) {
    parts.nodes.push_back({.name = "s" + std::to_string(site), .kind = NodeKind::network_switch});
    const double latency_s = 1e-3 * *rc::gen::inRange(1, 41);
    if (site > 0) parts.links.push_back({*rc::gen::inRange<NodeId>(0, site), site, fast_bps, latency_s});
  }
  for (NodeId site = 0; site < sites; ++site) {
    const NodeId least = site == 0 ? 1 : least_hosts;
    for (NodeId more = *rc::gen::inRange<NodeId>(least, 4); more > 0; --more) {
      const auto host = static_cast<NodeId>(parts.nodes.size());
      parts.nodes.push_back({.name = "h" + std::to_string(host), .kind = NodeKind::host});
      parts.links.push_back({host, site, fast_bps, 0.0});
    }
  }
  return Cluster(parts);
}

RC_GTEST_PROP(Middle, OfSitesThatAllHaveRanksTakesTheLongestWay, ()) {
  const Cluster cluster = random_sites(1);
  const Placement placement = block_placement(cluster, *rc::gen::inRange(1U, 3U));
  const Middle middle = middle_of(cluster, placement, 0);
  const Tree tree = by_sites_tree(cluster, placement, middle, *rc::gen::inRange(2U, 5U));
  plan_of(Trees{tree}).steps().check(Collective::allreduce);
  const double longest_s = longest_way_s(cluster, placement);
  RC_TAG(middle.exchange == no_rank ? "one root" : "two roots");
  RC_ASSERT(seconds_of(cluster, placement, tree) <= longest_s / 0.99 * (1.0 + 1e-9));
  RC_ASSERT(seconds_of(cluster, placement, tree) >= longest_s * (1.0 - 1e-9));
}

RC_GTEST_PROP(Middle, TakesAsLongAsItsCostsSay, ()) {
  const Cluster cluster = random_sites(0);
  const Placement placement = block_placement(cluster, *rc::gen::inRange(1U, 3U));
  const Tree tree = by_sites_tree(cluster, placement, middle_of(cluster, placement, 0), *rc::gen::inRange(2U, 5U));
  const TreeCosts costs = tree_costs(Paths(cluster), placement, tree, Direction::up_and_down, host_costs_named("free"));
  RC_ASSERT(std::abs(costs.seconds(1, 1) - seconds_of(cluster, placement, tree)) < 10e-6);
}

/// Also where sites without ranks come between.
RC_GTEST_PROP(Middle, IsNeverSlowerThanOneRoot, ()) {
  const Cluster cluster = random_sites(0);
  const Placement placement = block_placement(cluster, 1);
  const Rank root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const Middle middle = middle_of(cluster, placement, root);
  const Tree tree = by_sites_tree(cluster, placement, middle, 3);
  const double one_root_s = 2.0 * farthest_s(cluster, placement, rank_in_the_middle(cluster, placement, root));
  RC_TAG(middle.exchange == no_rank ? "one root" : "two roots");
  RC_ASSERT(seconds_of(cluster, placement, tree) <= (middle.exchange == no_rank ? 1.0 : 0.99) * one_root_s + 1e-12);
}

RC_GTEST_PROP(Middle, HasARootThatIsNearestToItsFarthestRank, ()) {
  const Cluster cluster(testing::with_long_links(testing::random_parts(8, 16)));
  const Placement placement = testing::random_placement(cluster, 20);
  const Rank root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const Rank middle = rank_in_the_middle(cluster, placement, root);
  double nearest_s = farthest_s(cluster, placement, root);
  for (Rank rank = 0; rank < placement.size(); ++rank)
    nearest_s = std::min(nearest_s, farthest_s(cluster, placement, rank));
  RC_ASSERT(0.99 * farthest_s(cluster, placement, middle) <= nearest_s * (1.0 + 1e-9) + 1e-15);
}

RC_GTEST_PROP(Middle, IsLaidWhateverRanksThereAre, ()) {
  const Cluster cluster(testing::with_long_links(testing::random_parts(9, 24)));
  const Placement placement = testing::random_placement(cluster, 40);
  const Rank root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const Middle middle = middle_of(cluster, placement, root);
  const Tree tree = by_sites_tree(cluster, placement, middle, *rc::gen::inRange(2U, 9U));
  RC_ASSERT(tree.root == middle.root);
  RC_ASSERT(tree.exchange == middle.exchange);
  plan_of(Trees{tree}).steps().check(Collective::barrier);
  const double one_root_s = 2.0 * farthest_s(cluster, placement, rank_in_the_middle(cluster, placement, root));
  if (middle.exchange != no_rank) RC_ASSERT(longest_way_s(cluster, placement) < one_root_s);
}

TEST(Middle, IsWhereThereIsNoRoot) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/four-site.yaml");
  const Placement placement = block_placement(cluster, 1);
  const auto laid = [&](Collective collective, const Placement& ranks, Rank root) {
    return lay_trees(collective, "by-sites-binary", &cluster, ranks, root).front();
  };
  const Tree allreduce = laid(Collective::allreduce, placement, 0);  // 40 ms from land to sea, 11 ms behind
  EXPECT_EQ(std::minmax(allreduce.root, allreduce.exchange), std::minmax(Rank{16}, Rank{24}));
  EXPECT_NEAR(seconds_of(cluster, placement, allreduce), 51e-3, 0.2e-3);
  EXPECT_NE(laid(Collective::barrier, placement, 20).exchange, no_rank);
  EXPECT_EQ(laid(Collective::reduce, placement, 0).root, 0U);
  EXPECT_EQ(laid(Collective::reduce, placement, 0).exchange, no_rank);
  EXPECT_EQ(laid(Collective::allreduce, {0, 1, 2}, 1).root, 1U);
  EXPECT_EQ(laid(Collective::allreduce, {0, 1, 2}, 1).exchange, no_rank);
  const Tree two = laid(Collective::allreduce, {3, 12}, 0);
  EXPECT_EQ(std::minmax(two.root, two.exchange), std::minmax(Rank{0}, Rank{1}));
}

TEST(Middle, IsOneRootWhereThreeSitesMeetWithoutOneOfTheirOwn) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: star\ndefaults: {rate: 1Gbit, latency: 10us}\nswitches: [s0, s1, s2, hub]\nhosts:\n"
      "  - {hosts: 'h[0-2]', switches: 's[0-2]', deal: 1}\nlinks:\n"
      "  - {between: [s0, hub], latency: 5ms}\n  - {between: [s1, hub], latency: 5ms}\n"
      "  - {between: [s2, hub], latency: 5ms}\n",
      "star.yaml");
  EXPECT_EQ(middle_of(cluster, block_placement(cluster, 1), 0).exchange, no_rank);
}

TEST(Middle, IsRefusedOutOfRange) {
  const Cluster cluster = testing::one_switch(3);
  EXPECT_THROW(static_cast<void>(middle_of(cluster, {0, 1}, 2)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(rank_in_the_middle(cluster, {0, 3}, 0)), std::invalid_argument);
  const Middle next_to{.root = 0, .exchange = 1};
  EXPECT_THROW(static_cast<void>(by_sites_tree(cluster, {0, 1}, next_to, 2)), std::invalid_argument);
}

}  // namespace
}  // namespace trunkline
