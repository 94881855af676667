// SPDX-License-Identifier: Apache-2.0
// Trees in which all ranks of a host hand on.
#include "algorithms/trees/lane_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "algorithms/registry.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"

namespace trunkline {
namespace {

/// Of each rank: how many times the message has gone from host to host.
std::vector<unsigned> hops(const Tree& tree, const Placement& placement) {
  std::vector<unsigned> found(tree.size(), 0);
  std::vector<Rank> ranks{tree.root};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (const Rank child : tree.children[ranks[i]]) {
      found[child] = found[ranks[i]] + (placement[child] != placement[ranks[i]] ? 1 : 0);
      ranks.push_back(child);
    }
  }
  return found;
}

/// The fewest levels of a tree over so many hosts in which none has more children.
unsigned fewest_levels(std::size_t hosts, std::size_t fan_out) {
  unsigned levels = 0;
  std::size_t reached = 1;
  for (std::size_t of_level = 1; reached < hosts; ++levels) reached += of_level *= fan_out;
  return levels;
}

RC_GTEST_PROP(LaneTree, ReachesEachHostOnceByAllRanksOfOthers, ()) {
  const Cluster cluster(testing::random_parts(6, 30));
  const Placement placement = testing::random_placement(cluster, 100);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto fan_out = *rc::gen::inRange(1U, 20U);
  const Tree tree = lane_tree(cluster, placement, root, fan_out);
  check_plan(plan_of(Trees{tree}));
  const std::set<HostIndex> hosts(placement.begin(), placement.end());
  std::vector<unsigned> entered(cluster.hosts().size(), 0);
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    std::size_t sends = 0;
    bool sends_out = false;
    for (const Rank child : tree.children[rank]) {
      if (placement[child] == placement[rank]) {
        RC_ASSERT(!sends_out);  // memory first
        continue;
      }
      sends_out = true;
      ++sends;
      ++entered[placement[child]];
    }
    const auto mates = static_cast<std::size_t>(std::ranges::count(placement, placement[rank]));
    RC_ASSERT(sends <= (fan_out + mates - 1) / mates);
  }
  for (const HostIndex host : hosts) RC_ASSERT(entered[host] == (host == placement[root] ? 0U : 1U));
  const std::vector<unsigned> all = hops(tree, placement);
  RC_ASSERT(*std::ranges::max_element(all) == fewest_levels(hosts.size(), fan_out));
}

TEST(LaneTree, DealsHostsToTheRanksOfOne) {
  const Cluster cluster = testing::star_of_switches(2, 3);
  const Placement placement = block_placement(cluster, 2);
  const Tree tree = lane_tree(cluster, placement, 1, 4);
  EXPECT_EQ(tree.children[1], (std::vector<Rank>{0, 2, 8}));  // its mate, and the first and the third host
  EXPECT_EQ(tree.children[0], (std::vector<Rank>{6, 10}));
  EXPECT_EQ(tree.children[2], (std::vector<Rank>{3, 4}));
  EXPECT_THROW((void)lane_tree(cluster, placement, 1, 0), std::invalid_argument);
  EXPECT_THROW((void)lane_tree(cluster, placement, 12, 2), std::invalid_argument);
}

}  // namespace
}  // namespace trunkline
