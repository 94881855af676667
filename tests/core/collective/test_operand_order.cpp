// SPDX-License-Identifier: Apache-2.0
#include "collective/operand_order.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "algorithms/registry.hpp"
#include "decide/decision.hpp"
#include "network/file/cluster_file.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using testing::random_tree;

/// The operands as `rank` would combine them: its own and its children's results, sorted by the first of each.
std::vector<Rank> combined(const Tree& tree, Rank rank) {
  std::vector<std::vector<Rank>> parts{{rank}};
  for (const Rank child : tree.children[rank]) parts.push_back(combined(tree, child));
  std::ranges::sort(parts);
  std::vector<Rank> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Of a tree whose ranks are numbered as they would be combined.
Tree in_order(const Tree& tree) {
  const std::vector<Rank> order = combined(tree, tree.root);
  std::vector<Rank> number(order.size());
  for (Rank place = 0; place < order.size(); ++place) number[order[place]] = place;
  Tree named = root_alone(static_cast<Rank>(tree.size()), number[tree.root]);
  for (const Rank rank : parents_first(tree)) {
    for (const Rank child : tree.children[rank]) add_child(named, number[rank], number[child]);
  }
  return named;
}

RC_GTEST_PROP(OperandOrder, IsByRankWhereCombiningPartsGivesTheRanksInOrder, ()) {
  const Tree any = random_tree(*rc::gen::inRange<Rank>(1, 12));
  const Tree tree = *rc::gen::arbitrary<bool>() ? in_order(any) : any;
  const bool kept = std::ranges::is_sorted(combined(tree, tree.root));
  RC_TAG(kept ? "kept" : "not kept");
  RC_ASSERT(keeps_rank_order(tree) == kept);
}

/// Without the part below one of the root's children.
std::vector<Rank> combined_without(Tree tree, Rank child) {
  std::erase(tree.children[tree.root], child);
  return combined(tree, tree.root);
}

RC_GTEST_PROP(OperandOrder, IsByRankWhereTwoRootsCombineTheirSidesOneAfterTheOther, ()) {
  const Tree any = random_tree(*rc::gen::inRange<Rank>(2, 9));
  const Tree tree = testing::with_exchange(*rc::gen::arbitrary<bool>() ? in_order(any) : any);
  std::vector<Rank> all = combined_without(tree, tree.exchange);
  const std::vector<Rank> other = combined(tree, tree.exchange);
  all.insert(other.front() < all.front() ? all.begin() : all.end(), other.begin(), other.end());
  const bool kept = std::ranges::is_sorted(all);
  RC_TAG(kept ? "kept" : "not kept");
  RC_ASSERT(keeps_rank_order(tree) == kept);
}

TEST(OperandOrder, OfTreesByRankNumber) {
  for (const Rank root : {0U, 3U}) {
    EXPECT_TRUE(lay(Collective::reduce, "flat", nullptr, Placement(8), root).steps().keeps_rank_order());
  }
  EXPECT_TRUE(lay(Collective::reduce, "binomial", nullptr, Placement(8), 0).steps().keeps_rank_order());
  EXPECT_FALSE(lay(Collective::reduce, "binomial", nullptr, Placement(8), 3).steps().keeps_rank_order());
  EXPECT_FALSE(lay(Collective::reduce, "unaware-binary", nullptr, Placement(8), 0).steps().keeps_rank_order());
  EXPECT_FALSE(lay(Collective::allreduce, "unaware-ring", nullptr, Placement(8), 0).steps().keeps_rank_order());
}

/// What the settings go by is what the plans do.
TEST(OperandOrder, OfAlgorithmsIsThatOfTheirPlans) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/cyclic.yaml");
  const Placement placement = block_placement(cluster, 1);
  for (const Algorithm& one : algorithms()) {
    const CollectiveFacts& facts = facts_of(one.collective);
    if (!facts.reduces || one.is_native()) continue;
    const Plan plan = lay(one.collective, one.name, &cluster, placement, 0);
    if (one.may_have_fewer && plan.steps().streams() == 1) continue;  // several trees elsewhere
    EXPECT_EQ(one.has_one_order, plan.steps().has_one_order(one.collective)) << facts.name << " " << one.name;
  }
}

class OneOrder : public ::testing::TestWithParam<Collective> {};

TEST_P(OneOrder, IsOneAlgorithmForMessagesOfEverySize) {
  for (const char* const name : {"cyclic", "paper-4", "paper-1", ""}) {
    Knowledge knowledge{.reproducible = true};
    Placement placement(16);
    if (*name != '\0') {
      knowledge.cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/" + name + ".yaml");
      std::iota(placement.begin(), placement.end(), 0U);
    }
    Decider decider(knowledge, GetParam(), placement, 0);
    const Decision first = decider.decide(1, OperandOrder::any, {}, true);
    ASSERT_FALSE(first.is_native()) << name;
    EXPECT_NE(first.reason.find("TRUNKLINE_REPRODUCIBLE"), std::string::npos) << first.reason;
    for (std::uint64_t bytes = 1; bytes <= std::uint64_t{1} << 28; bytes *= 3) {
      EXPECT_EQ(decider.decide(bytes, OperandOrder::any, {}, true).algorithm, first.algorithm) << name << " " << bytes;
    }
    EXPECT_TRUE(decider.plan(first.algorithm).steps().has_one_order(GetParam())) << first.algorithm;
  }
}

INSTANTIATE_TEST_SUITE_P(Reductions, OneOrder,
                         ::testing::Values(Collective::reduce, Collective::allreduce, Collective::reduce_scatter,
                                           Collective::reduce_scatter_block));

TEST(OneOrder, AndByRankIsALineFromTheFirstRankWhereNothingElseKeepsIt) {
  const Knowledge knowledge{.reproducible = true};
  const Placement placement(8);
  Decider first(knowledge, Collective::reduce, placement, 0);
  EXPECT_EQ(first.decide(100, OperandOrder::by_rank, {}, true).algorithm, "unaware-linear");
  Decider third(knowledge, Collective::reduce, placement, 3);
  EXPECT_TRUE(third.decide(100, OperandOrder::by_rank, {}, true).is_native());
}

TEST(OperandOrder, ByRankDecidesAmongPlansThatKeepIt) {
  // Hosts in order: a line goes through them by rank. Dealt over the switches it does not.
  for (const auto& [name, native] : {std::pair{"paper-4", false}, std::pair{"cyclic", true}}) {
    const Knowledge knowledge{.cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/" + name + ".yaml")};
    const Placement placement = block_placement(*knowledge.cluster, 1);
    Decider decider(knowledge, Collective::allreduce, placement, 0);
    const Decision decision = decider.decide(1 << 20, OperandOrder::by_rank, {}, true);
    EXPECT_EQ(decision.is_native(), native) << name << ": " << decision.algorithm;
    if (!native) {
      EXPECT_TRUE(decider.plan(decision.algorithm).steps().keeps_rank_order());
    }
    const Wish forced{.kind = Wish::Kind::forced, .algorithm = "two-tree", .needs_cluster = true};
    EXPECT_TRUE(decider.decide(1 << 20, OperandOrder::by_rank, forced, true).is_native());
  }
}

}  // namespace
}  // namespace trunkline
