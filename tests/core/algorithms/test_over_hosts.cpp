// SPDX-License-Identifier: Apache-2.0
// Trees over hosts: each host is entered once, however many ranks it has and wherever they sit.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "algorithms/registry.hpp"
#include "algorithms/trees/linear.hpp"
#include "algorithms/trees/over_hosts.hpp"
#include "kinds/trees/trees.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"
#include "plan/tree_check.hpp"

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
                                                   "8-lane-two-tree", "by-sites-binary");
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

RC_GTEST_PROP(OverHosts, LanesTogetherLoadNothingMoreThanOne, ()) {
  const Cluster cluster(random_parts(9, 24));
  const Placement placement = random_placement(cluster, 40);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto loads = [&](const Trees& trees) {
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
  };
  const auto one = loads(trees_of(lay(Collective::bcast, "two-tree", &cluster, placement, root)));
  const auto four = loads(trees_of(lay(Collective::bcast, "4-lane-two-tree", &cluster, placement, root)));
  RC_ASSERT(one.size() == four.size());
  for (const auto& [edge, load] : four) RC_ASSERT(std::abs(load - one.at(edge)) < 1e-9);
}

}  // namespace
}  // namespace trunkline
