// SPDX-License-Identifier: Apache-2.0
// Trees over hosts: each host is entered once, however many ranks it has and wherever they sit.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "algorithms/registry.hpp"
#include "algorithms/trees/linear.hpp"
#include "kinds/trees/trees.hpp"
#include "networks.hpp"
#include "patterns/over_hosts.hpp"
#include "plan/checker.hpp"

namespace trunkline {
namespace {

using testing::one_switch;
using testing::random_parts;
using testing::random_placement;
using Ranks = std::vector<Rank>;

TEST(OverHosts, ALineGoesThroughHostsAndNotThroughRanks) {
  const Cluster cluster(one_switch(3));
  const Placement dealt{0, 1, 2, 0, 1, 2};
  const Tree tree = trees_of(lay(Collective::bcast, "linear", &cluster, dealt, 0)).front();
  EXPECT_EQ(tree.children[0], (Ranks{1, 3}));
  EXPECT_EQ(tree.children[1], (Ranks{2, 4}));
  EXPECT_EQ(tree.children[2], (Ranks{5}));
  EXPECT_EQ(height(tree), 3U);
}

TEST(OverHosts, TheRootLeadsItsHost) {
  const Cluster cluster(one_switch(2));
  const Tree tree = trees_of(lay(Collective::bcast, "linear", &cluster, {0, 0, 1, 1}, 3)).front();
  EXPECT_EQ(tree.root, 3U);
  EXPECT_EQ(tree.children[3], (Ranks{0, 2}));
  EXPECT_EQ(tree.children[0], (Ranks{1}));
}

TEST(OverHosts, LanesAreLedByOneRankEach) {
  const Cluster cluster(one_switch(2));
  const RanksOfHosts hosts = ranks_of_hosts({0, 0, 1, 1, 1}, 1);
  const Tree line = linear_tree(cluster, hosts.placement, hosts.root);
  const Trees lanes = in_lanes(std::span(&line, 1), hosts, 8);
  ASSERT_EQ(lanes.size(), 3U);  // as many as a host has ranks
  EXPECT_EQ(lanes[0].children[1], (Ranks{2, 0}));
  EXPECT_EQ(lanes[1].children[1], (Ranks{0}));  // the root hands on to who leads its host
  EXPECT_EQ(lanes[1].children[0], (Ranks{3}));
  EXPECT_EQ(lanes[1].children[3], (Ranks{2, 4}));
  EXPECT_EQ(lanes[2].children[1], (Ranks{4, 0}));  // of two ranks the first leads again
}

RC_GTEST_PROP(OverHosts, EachTreeEntersEachHostOnceWhateverThePlacement, ()) {
  const Cluster cluster(random_parts(9, 24));
  const Placement placement = random_placement(cluster, 40);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto name = *rc::gen::element<std::string>("linear", "binary", "3-ary", "two-tree", "2-lane-two-tree",
                                                   "8-lane-two-tree", "by-sites-binary", "4-lane-by-sites-linear",
                                                   "4-lane-by-sites-binary", "packed-linear");
  const auto collective = *rc::gen::element(Collective::bcast, Collective::reduce, Collective::allreduce);
  const Plan plan = lay(collective, name, &cluster, placement, root);
  for (const Tree& tree : trees_of(plan)) {
    check_tree(tree);
    RC_ASSERT(tree.size() == placement.size());
    std::map<HostIndex, int> entered;
    std::map<HostIndex, std::set<Rank>> senders;
    for (Rank rank = 0; rank < tree.size(); ++rank) {
      for (const Rank child : tree.children[rank]) {
        if (placement[child] == placement[rank]) continue;
        ++entered[placement[child]];
        senders[placement[rank]].insert(rank);
      }
    }
    for (const HostIndex host : placement) {
      RC_ASSERT(entered[host] == (host == placement[tree.root] ? 0 : 1));
      RC_ASSERT(senders[host].size() <= 1U);
    }
  }
}

RC_GTEST_PROP(OverHosts, ARankServesItsHostAfterAllOthers, ()) {
  const Cluster cluster(random_parts(5, 12));
  const Placement placement = random_placement(cluster, 30);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const Tree tree = trees_of(lay(Collective::bcast, "binary", &cluster, placement, root)).front();
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    RC_ASSERT(std::ranges::is_partitioned(tree.children[rank],
                                          [&](Rank child) { return placement[child] != placement[rank]; }));
  }
}

/// How often the message crosses each edge, taken through the graph edge by edge.
std::map<testing::Edge, double> loads_of(const Cluster& cluster, const Placement& placement, const Trees& trees) {
  std::map<testing::Edge, double> all;
  for (const Tree& tree : trees) {
    for (Rank rank = 0; rank < tree.size(); ++rank) {
      for (const Rank child : tree.children[rank]) {
        if (placement[child] == placement[rank]) continue;
        const auto path =
            testing::brute_path(cluster, cluster.hosts()[placement[rank]], cluster.hosts()[placement[child]]);
        for (const testing::Edge& edge : *path) all[edge] += 1.0 / static_cast<double>(trees.size());
      }
    }
  }
  return all;
}

void expect_same(const std::map<testing::Edge, double>& some, const std::map<testing::Edge, double>& others) {
  RC_ASSERT(some.size() == others.size());
  for (const auto& [edge, load] : some) RC_ASSERT(std::abs(load - others.at(edge)) < 1e-9);
}

RC_GTEST_PROP(OverHosts, LanesTogetherLoadNothingMoreThanOne, ()) {
  const Cluster cluster(random_parts(9, 24));
  const Placement placement = random_placement(cluster, 40);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto loads = [&](const char* name) {
    return loads_of(cluster, placement, trees_of(lay(Collective::bcast, name, &cluster, placement, root)));
  };
  expect_same(loads("4-lane-two-tree"), loads("two-tree"));
}

RC_GTEST_PROP(OverHosts, LanesBySitesLoadNothingMoreThanOne, ()) {
  const Cluster cluster(testing::with_long_links(random_parts(7, 12)));
  const Placement placement = random_placement(cluster, 40);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto collective = *rc::gen::element(Collective::bcast, Collective::reduce, Collective::allreduce);
  const auto shape = *rc::gen::element<std::string>("by-sites-linear", "by-sites-binary");
  const Trees one = trees_of(lay(collective, shape, &cluster, placement, root));
  const Trees all = trees_of(lay(collective, "4-lane-" + shape, &cluster, placement, root));
  std::map<HostIndex, std::vector<Rank>> ranks_of;
  for (Rank rank = 0; rank < placement.size(); ++rank) ranks_of[placement[rank]].push_back(rank);
  std::size_t most = 0;
  for (const auto& [host, ranks] : ranks_of) most = std::max(most, ranks.size());
  RC_ASSERT(all.size() == std::min<std::size_t>(4, most));
  RC_TAG(one.front().exchange == no_rank ? "one root" : "two roots");
  expect_same(loads_of(cluster, placement, all), loads_of(cluster, placement, one));
  std::map<HostIndex, std::set<Rank>> leaders;
  for (const Tree& tree : all) {
    check_tree(tree);
    RC_ASSERT(tree.root == one.front().root);
    RC_ASSERT((tree.exchange == no_rank) == (one.front().exchange == no_rank));
    std::map<HostIndex, int> entered;
    for (Rank rank = 0; rank < tree.size(); ++rank) {
      if (rank == tree.root || placement[rank] == placement[tree.parent[rank]]) continue;
      ++entered[placement[rank]];
      leaders[placement[rank]].insert(rank);
    }
    for (const auto& [host, ranks] : ranks_of) RC_ASSERT(entered[host] == (host == placement[tree.root] ? 0 : 1));
  }
  // All lanes of a host are led by different ranks, as far as it has them.
  for (const auto& [host, ranks] : ranks_of) {
    if (host != placement[one.front().root]) RC_ASSERT(leaders[host].size() == std::min(all.size(), ranks.size()));
  }
}

}  // namespace
}  // namespace trunkline
