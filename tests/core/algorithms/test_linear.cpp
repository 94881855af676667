// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 keeps its promise on every network, for every root and placement.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "algorithms/registry.hpp"
#include "algorithms/trees/linear.hpp"
#include "algorithms/trees/unaware_linear.hpp"
#include "kinds/trees/trees.hpp"
#include "network/file/cluster_file.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"

namespace trunkline {
namespace {

using testing::brute_senders;
using testing::random_parts;
using testing::random_placement;

std::vector<Rank> order_of(const Tree& line) {
  std::vector<Rank> order{line.root};
  while (!line.children[order.back()].empty() && order.size() < line.size()) {
    order.push_back(line.children[order.back()].front());
  }
  return order;
}

Tree any_line(const Cluster& cluster, Placement& placement) {
  placement = random_placement(cluster, 40);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  Tree line = linear_tree(cluster, placement, root);
  RC_ASSERT(line.root == root);
  return line;
}

RC_GTEST_PROP(LinearTree, LoadsNoChannelTwice, ()) {
  const Cluster cluster(random_parts(9, 20));
  Placement placement;
  const Tree line = any_line(cluster, placement);
  for (const auto& [edge, senders] : brute_senders(cluster, placement, line)) {
    RC_ASSERT(senders.size() <= 1U);
  }
}

RC_GTEST_PROP(LinearTree, LoadsNoChannelTwiceOnTheSpanningTreeOfARedundantNetwork, ()) {
  const Cluster cluster(random_parts(9, 20, 6));
  Placement placement;
  const Tree line = any_line(cluster, placement);
  for (const auto& [edge, senders] : brute_senders(cluster, placement, line)) {
    RC_ASSERT(senders.size() <= 1U);
  }
}

RC_GTEST_PROP(LinearTree, ReachesEveryRankOnceInALine, ()) {
  const Cluster cluster(random_parts(9, 20));
  Placement placement;
  const Tree line = any_line(cluster, placement);
  RC_ASSERT(line.size() == placement.size());
  RC_ASSERT(testing::times_reached(line) == std::vector<int>(placement.size(), 1));
  RC_ASSERT(max_degree(line) <= 1U);
}

RC_GTEST_PROP(LinearTree, KeepsTheRanksOfAHostTogether, ()) {
  const Cluster cluster(random_parts(9, 20));
  Placement placement;
  const std::vector<Rank> order = order_of(any_line(cluster, placement));
  std::set<HostIndex> left;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (placement[order[i]] != placement[order[i - 1]]) {
      RC_ASSERT(left.insert(placement[order[i - 1]]).second);
    }
    RC_ASSERT(!left.contains(placement[order[i]]));
  }
}

TEST(LinearTree, GoesDepthFirstFromTheRootsSwitchInTheOrderOfTheFile) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/cyclic.yaml");
  const Tree line = linear_tree(cluster, block_placement(cluster, 1), 5);
  const std::vector<Rank> expected{5, 1, 9,  13, 17, 21, 25, 29, 0, 4, 8,  12, 16, 20, 24, 28,
                                   2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31};
  EXPECT_EQ(order_of(line), expected);
}

TEST(LinearTree, AloneOnItsHost) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/paper-1.yaml");
  const Tree line = linear_tree(cluster, {3}, 0);
  EXPECT_EQ(line.size(), 1U);
  EXPECT_EQ(height(line), 0U);
}

TEST(LinearTree, RefusesWhatIsOutOfRange) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/paper-1.yaml");
  EXPECT_THROW(static_cast<void>(linear_tree(cluster, {0, 1}, 2)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(linear_tree(cluster, {0, 16}, 0)), std::invalid_argument);
}

TEST(UnawareLinearTree, GoesRoundInRankOrder) {
  EXPECT_EQ(order_of(unaware_linear_tree(5, 3)), (std::vector<Rank>{3, 4, 0, 1, 2}));
  EXPECT_EQ(order_of(unaware_linear_tree(1, 0)), (std::vector<Rank>{0}));
  EXPECT_THROW(static_cast<void>(unaware_linear_tree(5, 5)), std::invalid_argument);
}

TEST(Registry, LaysEveryAlgorithmThatHasAPlan) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/paper-5.yaml");
  const Placement placement = block_placement(cluster, 2);
  for (const Algorithm& algorithm : algorithms()) {
    const auto laid = [&](const Cluster* over) {
      return lay(algorithm.collective, algorithm.name, over, placement, 7);
    };
    if (algorithm.is_native()) {
      EXPECT_THROW(static_cast<void>(laid(&cluster)), std::invalid_argument);
      continue;
    }
    const Plan plan = laid(&cluster);
    EXPECT_EQ(plan.ranks(), 64U) << algorithm.name;
    EXPECT_EQ(plan.root(), facts_of(algorithm.collective).makes_prefixes() ? 0U : 7U) << algorithm.name;
    if (algorithm.name.starts_with("packed")) {
      EXPECT_EQ(plan.steps().streams(), 1U) << algorithm.name;  // over a spanning tree
    } else if (algorithm.name.find("lane-by-sites") != std::string_view::npos) {
      EXPECT_EQ(plan.steps().streams(), 2U) << algorithm.name;  // two lanes of one tree
    } else if (algorithm.may_have_fewer) {
      EXPECT_EQ(plan.steps().streams(), std::min(algorithm.streams, 4U)) << algorithm.name;  // two lanes of two trees
    } else {
      EXPECT_EQ(plan.steps().streams(), algorithm.streams) << algorithm.name;
    }
    if (const Trees* const trees = find_trees(plan)) {
      for (const Tree& tree : *trees)
        EXPECT_EQ(testing::times_reached(tree), std::vector<int>(64, 1)) << algorithm.name;
    } else {
      EXPECT_THROW(static_cast<void>(lay_trees(algorithm.collective, algorithm.name, &cluster, placement, 7)),
                   std::invalid_argument);
    }
    if (algorithm.needs_cluster) {
      EXPECT_THROW(static_cast<void>(laid(nullptr)), std::invalid_argument);
    }
  }
  EXPECT_THROW(static_cast<void>(lay(Collective::bcast, "no-such", &cluster, placement, 0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(collective_named("no-such")), std::invalid_argument);
  EXPECT_TRUE(find_algorithm(Collective::bcast, "linear"));
}

}  // namespace
}  // namespace trunkline
