// SPDX-License-Identifier: Apache-2.0
// Trees of two storeys: by hand for the clusters of the allreduce paper, and by what holds for all of them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "algorithms/trees/hierarchical.hpp"
#include "kinds/trees/trees.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"

namespace trunkline {
namespace {

using testing::one_switch;
using testing::random_parts;
using testing::random_placement;
using Ranks = std::vector<Rank>;

TEST(Hierarchical, TheInitialTreeOf8WIsFlatOnBothStoreys) {
  const Tree tree = hierarchical_tree(block_placement(one_switch(4), 8), 0, {});
  check_tree(tree);
  EXPECT_EQ(tree.children[0], (Ranks{8, 16, 24, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(tree.children[8], (Ranks{9, 10, 11, 12, 13, 14, 15}));
}

TEST(Hierarchical, BinarySubtreesOf8WLeaveTheUpperStoreyOnTheRootsHost) {
  const Tree tree = hierarchical_tree(block_placement(one_switch(4), 8), 0, {.host_fan_in = 2, .root_fan_in = 2});
  check_tree(tree);
  EXPECT_EQ(tree.children[0], (Ranks{8, 1, 4, 2}));
  EXPECT_EQ(tree.children[1], (Ranks{16, 24}));  // a leaf of its host's subtree takes the second pair of hosts
  EXPECT_EQ(tree.children[8], (Ranks{12, 10, 9}));
}

TEST(Hierarchical, SplitLevelsMoveGroupsToTheirFirstHosts) {
  const Placement placement = block_placement(one_switch(8), 4);
  const Tree once = hierarchical_tree(placement, 0, {.host_fan_in = 2, .root_fan_in = 2, .split_levels = 1});
  EXPECT_EQ(once.children[8], (Ranks{12, 10, 9}));
  EXPECT_EQ(once.parent[8], 0U);
  EXPECT_EQ(once.parent[16], 1U);
  EXPECT_EQ(once.parent[24], 1U);
  const Tree all = hierarchical_tree(placement, 0, {.host_fan_in = 2, .root_fan_in = 2, .split_levels = all_levels});
  EXPECT_EQ(all.children[0], (Ranks{16, 8, 4, 2, 1}));
  EXPECT_EQ(all.children[16], (Ranks{24, 20, 18, 17}));
}

TEST(Hierarchical, AnyRankIsTheRoot) {
  const Tree tree = hierarchical_tree(block_placement(one_switch(3), 3), 4, {});
  EXPECT_EQ(tree.root, 4U);
  EXPECT_EQ(tree.children[4], (Ranks{0, 6, 3, 5}));
}

TEST(Hierarchical, AFanInOfOneIsRefused) {
  EXPECT_THROW((void)hierarchical_tree({0, 0}, 0, {.host_fan_in = 1}), std::invalid_argument);
  EXPECT_THROW((void)hierarchical_tree({0, 0}, 2, {}), std::invalid_argument);
}

RC_GTEST_PROP(Hierarchical, EachHostIsOneSubtreeBelowTheRootsHost, ()) {
  const Cluster cluster(random_parts(3, 20));
  const Placement placement = random_placement(cluster, 60);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto host_fan_in = *rc::gen::element(0U, 2U, 3U, 4U, 8U);
  const auto root_fan_in = *rc::gen::element(0U, 2U, 3U, 4U, 8U);
  const auto split_levels = *rc::gen::element(0U, 1U, 2U, all_levels);
  const Tree tree = hierarchical_tree(
      placement, root, {.host_fan_in = host_fan_in, .root_fan_in = root_fan_in, .split_levels = split_levels});
  check_tree(tree);
  RC_ASSERT(tree.root == root);
  std::map<HostIndex, int> entries;
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    const Rank parent = tree.parent[rank];
    if (parent != no_rank && placement[parent] == placement[rank]) continue;
    ++entries[placement[rank]];
    if (parent != no_rank && split_levels == 0) RC_ASSERT(placement[parent] == placement[root]);
  }
  for (const auto& [host, count] : entries) RC_ASSERT(count == 1);
  if (host_fan_in == any_fan_in && root_fan_in == any_fan_in) RC_ASSERT(height(tree) <= 2U);
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    bool within = false;
    for (const Rank child : tree.children[rank]) {
      RC_ASSERT(!within || placement[child] == placement[rank]);  // over the network first
      within = placement[child] == placement[rank];
    }
  }
}

/// A group of hosts is no larger than its fan-in where the root's host has a rank for each.
RC_GTEST_PROP(Hierarchical, GroupsKeepTheirFanIn, ()) {
  const auto hosts = *rc::gen::inRange(1U, 20U);
  const auto fan_in = *rc::gen::inRange(2U, 6U);
  const auto groups = (hosts + fan_in - 1) / fan_in;
  const Placement placement = block_placement(one_switch(hosts), groups);
  const Tree tree = hierarchical_tree(placement, 0, {.host_fan_in = 2, .root_fan_in = fan_in});
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    unsigned taken = rank == 0 ? 1 : 0;
    for (const Rank child : tree.children[rank]) taken += placement[child] != placement[rank] ? 1 : 0;
    RC_ASSERT(taken <= fan_in);
  }
}

}  // namespace
}  // namespace trunkline
