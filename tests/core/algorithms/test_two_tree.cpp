// SPDX-License-Identifier: Apache-2.0
// Two trees at once load no rank and no channel with more than the message, on every network.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "algorithms/trees/two_tree.hpp"
#include "kinds/trees/trees.hpp"
#include "network/file/cluster_file.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"
#include "two_tree_by_search.hpp"

namespace trunkline {
namespace {

using testing::random_parts;
using testing::random_placement;

void expect_half_loads(const Cluster& cluster, const Placement& placement, Rank root) {
  const auto trees = two_tree(cluster, placement, root);
  std::map<testing::Edge, int> transfers;
  for (const Tree& tree : trees) {
    check_tree(tree);
    RC_ASSERT(tree.root == root);
    RC_ASSERT(tree.size() == placement.size());
    RC_ASSERT(tree.children[root].size() <= 1U);
    for (Rank rank = 0; rank < tree.size(); ++rank) {
      for (const Rank child : tree.children[rank]) {
        const auto path =
            testing::brute_path(cluster, cluster.hosts()[placement[rank]], cluster.hosts()[placement[child]]);
        for (const testing::Edge& edge : *path) ++transfers[edge];
      }
    }
  }
  for (Rank rank = 0; rank < placement.size(); ++rank) {
    RC_ASSERT(trees[0].children[rank].size() + trees[1].children[rank].size() <= 2U);
    const bool in_both = !trees[0].children[rank].empty() && !trees[1].children[rank].empty();
    RC_ASSERT(rank == root || !in_both);
  }
  for (const auto& [edge, count] : transfers) {
    RC_ASSERT(static_cast<std::uint32_t>(count) <= 2 * testing::brute_capacity(cluster, placement, edge));
  }
}

std::uint32_t higher(const std::array<Tree, 2>& trees) { return std::max(height(trees[0]), height(trees[1])); }

RC_GTEST_PROP(TwoTree, IsNeverHigherForRoomOnTrunks, ()) {
  const Cluster::Parts parts = random_parts(9, 40);
  const Cluster cluster(parts);
  const Cluster narrow(testing::with_room_for_one(parts));
  const Placement placement = random_placement(cluster, 60);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  RC_ASSERT(higher(two_tree(cluster, placement, root)) <= higher(two_tree(narrow, placement, root)));
}

RC_GTEST_PROP(TwoTree, IsThatOfOneSwitchWhereTrunksHaveRoomForAllOrItsWaysAreShorter, ()) {
  const Cluster::Parts parts = random_parts(9, 40);
  const Cluster cluster(testing::with_fast_trunks(parts));
  const Cluster narrow(testing::with_room_for_one(parts));
  const Placement placement = block_placement(cluster, 1);
  const Cluster flat = testing::one_switch(static_cast<unsigned>(placement.size()));
  expect_half_loads(cluster, placement, 0);
  const auto trees = two_tree(cluster, placement, 0);
  if (higher(trees) == higher(two_tree(flat, block_placement(flat, 1), 0))) return;
  const auto strict = two_tree(narrow, placement, 0);  // taken, since the low ones' ways are longer
  RC_ASSERT(trees[0].children == strict[0].children);
  RC_ASSERT(trees[1].children == strict[1].children);
}

RC_GTEST_PROP(TwoTree, LoadsNothingWithMoreThanTheMessage, ()) {
  const Cluster cluster(random_parts(9, 24));
  const Placement placement = random_placement(cluster, 40);
  expect_half_loads(cluster, placement, *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size())));
}

RC_GTEST_PROP(TwoTree, LoadsNothingWithMoreThanTheMessageWithOneRankAHost, ()) {
  const Cluster cluster(random_parts(20, 60));
  const Placement placement = block_placement(cluster, 1);
  expect_half_loads(cluster, placement, *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size())));
}

void expect_same_as_by_search(const Cluster& cluster, const Placement& placement) {
  for (Rank root = 0; root < placement.size(); ++root) {
    const auto trees = two_tree(cluster, placement, root);
    const auto searched = testing::two_tree_by_search(cluster, placement, root);
    for (std::size_t i = 0; i < trees.size(); ++i) {
      RC_ASSERT(trees[i].root == searched[i].root);
      RC_ASSERT(trees[i].parent == searched[i].parent);
      RC_ASSERT(trees[i].children == searched[i].children);
    }
  }
}

RC_GTEST_PROP(TwoTree, IsThatOfTheSlowSearch, ()) {
  const Cluster cluster(random_parts(30, 60));
  expect_same_as_by_search(cluster, random_placement(cluster, 100));
}

RC_GTEST_PROP(TwoTree, IsThatOfTheSlowSearchOnFewHosts, ()) {
  const Cluster cluster(random_parts(9, 8));
  expect_same_as_by_search(cluster, random_placement(cluster, 50));
}

RC_GTEST_PROP(TwoTree, IsThatOfTheSlowSearchWithOneRankAHost, ()) {
  const Cluster cluster(random_parts(40, 80));
  expect_same_as_by_search(cluster, block_placement(cluster, 1));
}

TEST(TwoTree, IsLowOnOneSwitchAndOnFour) {
  for (const auto& [name, most] : {std::pair{"paper-1", 5U}, std::pair{"cyclic", 7U}, std::pair{"paper-4", 7U}}) {
    const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/" + name + ".yaml");
    for (const Tree& tree : two_tree(cluster, block_placement(cluster, 1), 3)) EXPECT_LE(height(tree), most) << name;
  }
}

TEST(TwoTree, IsLowerOnALineOfFastTrunks) {
  const auto levels = [](const std::string& rate) {
    const Cluster cluster = parse_cluster(
        "trunkline: cluster/1\nname: line\ndefaults: {rate: 10Gbit}\nswitches: 's[0-3]'\n"
        "hosts: [{hosts: 'h[0-31]', switches: 's[0-3]', deal: 8}]\nlinks:\n"
        "  - {between: [s0, s1], rate: " +
            rate + "}\n  - {between: [s1, s2], rate: " + rate + "}\n  - {between: [s2, s3], rate: " + rate + "}\n",
        "line.yaml");
    return higher(two_tree(cluster, block_placement(cluster, 1), 0));
  };
  EXPECT_EQ(levels("10Gbit"), 7U);
  EXPECT_EQ(levels("100Gbit"), 5U);
}

TEST(TwoTree, OfOneAndOfTwoRanks) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/paper-1.yaml");
  EXPECT_EQ(height(two_tree(cluster, {4}, 0)[1]), 0U);
  EXPECT_EQ(height(two_tree(cluster, {4, 5}, 1)[0]), 1U);
  EXPECT_THROW(static_cast<void>(two_tree(cluster, {4, 5}, 2)), std::invalid_argument);
}

}  // namespace
}  // namespace trunkline
