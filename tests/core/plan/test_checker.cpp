// SPDX-License-Identifier: Apache-2.0
#include "plan/checker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algorithms/trees/unaware_linear.hpp"
#include "kinds/trees/trees.hpp"
#include "network/file/cluster_file.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using testing::brute_capacity;
using testing::brute_senders;
using testing::random_parts;
using testing::random_placement;
using testing::random_tree;

RC_GTEST_PROP(Contention, IsWhatTheEdgeSetsSay, ()) {
  const Cluster cluster(random_parts(9, 16, *rc::gen::inRange(0, 3)));
  const Placement placement = random_placement(cluster, 30);
  const Tree tree = random_tree(static_cast<Rank>(placement.size()));
  const auto senders = brute_senders(cluster, placement, tree);
  std::size_t most = 0;
  double fullest = 0.0;
  const auto fullness = [&](const testing::Edge& edge) {
    return static_cast<double>(senders.at(edge).size()) / brute_capacity(cluster, placement, edge);
  };
  for (const auto& [edge, ranks] : senders) {
    most = std::max(most, ranks.size());
    fullest = std::max(fullest, fullness(edge));
  }
  const Contention contention = contention_of(cluster, placement, tree, cluster.channel_count());
  RC_ASSERT(contention.most_senders == most);
  RC_ASSERT(contention.contention_free == (fullest <= 1.0));
  std::size_t largest = 0;
  std::set<testing::Edge> busiest;
  for (const ChannelLoad& load : contention.busiest) {
    const testing::Edge edge{cluster.nodes()[cluster.channel_from(load.channel)].name,
                             cluster.nodes()[cluster.channel_to(load.channel)].name};
    RC_ASSERT(load.senders == senders.at(edge).size());
    RC_ASSERT(load.capacity == brute_capacity(cluster, placement, edge));
    largest = std::max(largest, senders.at(edge).size());
    busiest.insert(edge);
  }
  RC_ASSERT(contention.max_channel_load == largest);
  std::set<testing::Edge> expected;
  for (const auto& [edge, ranks] : senders) {
    if (fullness(edge) == fullest) expected.insert(edge);
  }
  RC_ASSERT(busiest == expected);
}

RC_GTEST_PROP(CheckTree, PassesEveryTree, ()) {
  const Tree tree = random_tree(*rc::gen::inRange<Rank>(1, 30));
  check_tree(tree);
  RC_ASSERT(testing::times_reached(tree) == std::vector<int>(tree.size(), 1));
}

RC_GTEST_PROP(CheckTree, RefusesWhatMissesOrRepeatsARank, ()) {
  Tree tree = random_tree(*rc::gen::inRange<Rank>(2, 20));
  const auto rank = *rc::gen::inRange<Rank>(0, static_cast<Rank>(tree.size()));
  const auto other = *rc::gen::inRange<Rank>(0, static_cast<Rank>(tree.size()) + 3);
  tree.parent[rank] = other;  // the rank waits for another one than sends to it
  const std::vector<Rank>* list = other < tree.size() ? &tree.children[other] : nullptr;
  const bool unchanged = list != nullptr && std::find(list->begin(), list->end(), rank) != list->end();
  if (unchanged) {
    check_tree(tree);
  } else {
    RC_ASSERT_THROWS_AS(check_tree(tree), InvalidPlan);
  }
}

RC_GTEST_PROP(CheckTree, LetsTheRootExchangeWithOneOfItsChildrenAlone, ()) {
  Tree tree = random_tree(*rc::gen::inRange<Rank>(2, 20));
  tree.exchange = *rc::gen::inRange<Rank>(0, static_cast<Rank>(tree.size()) + 3);
  const std::vector<Rank>& below = tree.children[tree.root];
  const bool is_child = std::ranges::find(below, tree.exchange) != below.end();
  RC_TAG(is_child ? "child" : "no child");
  const auto check = [&](Collective collective) { plan_of(Trees{tree}).steps().check(collective); };
  if (!is_child) {
    RC_ASSERT_THROWS_AS(check_tree(tree), InvalidPlan);
    RC_ASSERT_THROWS_AS(check(Collective::allreduce), InvalidPlan);
    return;
  }
  check_tree(tree);
  check(Collective::allreduce);
  check(Collective::barrier);
  RC_ASSERT_THROWS_AS(check_no_exchange(tree), InvalidPlan);
  RC_ASSERT_THROWS_AS(check(Collective::bcast), InvalidPlan);
  RC_ASSERT_THROWS_AS(check(Collective::reduce), InvalidPlan);
}

TEST(Contention, OfTheLineInRankOrder) {
  const auto load = [](const std::string& name) {
    const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/" + name + ".yaml");
    const Placement placement = block_placement(cluster, 1);
    return contention_of(cluster, placement, unaware_linear_tree(static_cast<Rank>(placement.size()), 0))
        .max_channel_load;
  };
  EXPECT_EQ(load("paper-1"), 1U);
  EXPECT_EQ(load("paper-2"), 1U);  // the 2008 paper says so of topology 2
  EXPECT_EQ(load("paper-4"), 1U);
  EXPECT_EQ(load("paper-5"), 4U);
  EXPECT_EQ(load("cyclic"), 8U);
}

TEST(Contention, OneSendersTransfersCountOnce) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/paper-4.yaml");
  Tree flat{.root = 0, .parent = std::vector<Rank>(32, 0), .children = std::vector<std::vector<Rank>>(32)};
  flat.parent[0] = no_rank;
  for (Rank rank = 1; rank < 32; ++rank) {
    flat.children[0].push_back(rank);
  }
  const Contention contention = contention_of(cluster, block_placement(cluster, 1), flat, 2);
  EXPECT_TRUE(contention.contention_free);
  EXPECT_EQ(contention.max_channel_load, 1U);
  EXPECT_EQ(contention.busiest.size(), 2U);
}

TEST(Contention, RanksOfOneHostUseNoChannel) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/paper-1.yaml");
  const Contention contention = contention_of(cluster, {4, 4, 4}, unaware_linear_tree(3, 1));
  EXPECT_TRUE(contention.contention_free);
  EXPECT_EQ(contention.max_channel_load, 0U);
  EXPECT_TRUE(contention.busiest.empty());
}

TEST(Contention, RefusesAPlacementThatDoesNotFit) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/paper-1.yaml");
  EXPECT_THROW(static_cast<void>(contention_of(cluster, {0, 1}, unaware_linear_tree(3, 0))), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(contention_of(cluster, {0, 99}, unaware_linear_tree(2, 0))), std::invalid_argument);
}

std::string complaint(const Tree& tree) {
  try {
    check_tree(tree);
  } catch (const InvalidPlan& invalid) {
    return invalid.what();
  }
  return "";
}

TEST(CheckTree, SaysWhichRankAndWhy) {
  EXPECT_EQ(complaint({}), "the plan has no ranks");
  EXPECT_EQ(complaint({.root = 0, .parent = {no_rank, 0}, .children = {{1}}}),
            "the plan has parents for 2 ranks and children for 1");
  EXPECT_EQ(complaint({.root = 2, .parent = {no_rank, 0}, .children = {{1}, {}}}),
            "the root, rank 2, is not among the 2 ranks");
  EXPECT_EQ(complaint({.root = 0, .parent = {1, 0}, .children = {{1}, {}}}),
            "rank 0 is the root and has a parent, rank 1");
  EXPECT_EQ(complaint({.root = 0, .parent = {no_rank, 0}, .children = {{1, 7}, {}}}),
            "rank 0 sends to rank 7, which is not among the 2 ranks");
  EXPECT_EQ(complaint({.root = 0, .parent = {no_rank, 0}, .children = {{1}, {1}}}),
            "rank 1 is reached a second time, by rank 1");
  EXPECT_EQ(complaint({.root = 0, .parent = {no_rank, 0, 0}, .children = {{1, 2}, {2}, {}}}),
            "rank 2 is reached a second time, by rank 1");
  EXPECT_EQ(complaint({.root = 0, .parent = {no_rank, 0, 1}, .children = {{1, 2}, {}, {}}}),
            "rank 0 sends to rank 2, which expects rank 1");
  EXPECT_EQ(complaint({.root = 0, .parent = {no_rank, no_rank}, .children = {{1}, {}}}),
            "rank 0 sends to rank 1, which expects nobody");
  EXPECT_EQ(complaint({.root = 0, .parent = {no_rank, 2, 1}, .children = {{}, {2}, {1}}}),
            "rank 1 is never reached; it waits for rank 2");
  EXPECT_EQ(complaint({.root = 0, .parent = {no_rank, no_rank}, .children = {{}, {}}}),
            "rank 1 is never reached; nobody sends to it");
}

TEST(Tree, HeightAndDegree) {
  const Tree tree{.root = 1, .parent = {1, no_rank, 1, 2}, .children = {{}, {2, 0}, {3}, {}}};
  check_tree(tree);
  EXPECT_EQ(height(tree), 2U);
  EXPECT_EQ(max_degree(tree), 2U);
  EXPECT_EQ(height(line_through({2, 0, 1})), 2U);
  EXPECT_THROW(static_cast<void>(line_through({})), std::invalid_argument);
}

}  // namespace
}  // namespace trunkline
