// SPDX-License-Identifier: Apache-2.0
// Times of plans whose ranks are all on one host, against rank by rank arithmetic.
#include "model/transfer/memory_costs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "algorithms/registry.hpp"
#include "kinds/rounds/memory_round_costs.hpp"
#include "kinds/trees/memory_tree_costs.hpp"
#include "kinds/trees/trees.hpp"
#include "networks.hpp"
#include "plan/costs.hpp"

namespace trunkline {
namespace {

const HostCosts& hosts() { return host_costs_named("mpich"); }

MemoryCosts memory(std::uint64_t message_bytes) { return {message_bytes, *hosts().memory, hosts().combine_byte_s}; }

Tree tree_of(Rank ranks) {
  Tree tree = root_alone(ranks, 0);
  for (Rank rank = 1; rank < ranks; ++rank) add_child(tree, *rc::gen::inRange<Rank>(0, rank), rank);
  return tree;
}

/// When the last rank has the first segment, each of them followed from its parent's.
double down_by_hand(const Tree& tree, std::uint64_t bytes, const MemoryCosts& costs) {
  double latest = 0.0;
  const std::function<void(Rank, double)> follow = [&](Rank rank, double has_it) {
    latest = std::max(latest, has_it);
    double sent = has_it + costs.hand_s(bytes);
    for (const Rank child : tree.children[rank]) {
      follow(child, sent + costs.hand_s(bytes));
      sent += costs.further_s();
    }
  };
  follow(tree.root, 0.0);
  return latest;
}

/// When the root has added everybody's first segment; a rank waits for the last of its children, and takes them all.
double up_by_hand(const Tree& tree, std::uint64_t bytes, const MemoryCosts& costs) {
  const std::function<double(Rank)> ready = [&](Rank rank) {
    double last = 0.0;
    for (const Rank child : tree.children[rank]) last = std::max(last, ready(child) + costs.hand_s(bytes));
    const auto children = static_cast<double>(tree.children[rank].size());
    return last + children * (costs.hand_s(bytes) + costs.combine_s(bytes));
  };
  return ready(tree.root);
}

RC_GTEST_PROP(MemoryCosts, OfAMessageInOneSegmentAreTheLongestWay, ()) {
  const Tree tree = tree_of(*rc::gen::inRange<Rank>(2, 20));
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, MemoryCosts::longest_segment);
  const double down = down_by_hand(tree, bytes, memory(bytes));
  const double up = up_by_hand(tree, bytes, memory(bytes));
  const auto seconds = [&](Direction direction) {
    return memory_tree_costs(std::span(&tree, 1), direction, hosts()).seconds(bytes, bytes);
  };
  RC_ASSERT(std::abs(seconds(Direction::down) - down) < 1e-12);
  RC_ASSERT(std::abs(seconds(Direction::up) - up) < 1e-12);
  const double both = seconds(Direction::up_and_down);
  RC_ASSERT(both <= up + down + 1e-12);
  RC_ASSERT(both >= std::max(up, down));
}

RC_GTEST_PROP(MemoryCosts, AreTheBusiestRanksForFurtherSegments, ()) {
  const Tree tree = tree_of(*rc::gen::inRange<Rank>(2, 20));
  const std::uint64_t segment = 4096;
  const auto segments = *rc::gen::inRange<std::uint64_t>(2, 16);
  const MemoryCosts costs = memory(segments * segment);
  double busiest = 0.0;
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    const std::size_t children = tree.children[rank].size();
    double work = rank == tree.root ? 0.0 : costs.hand_s(segment);
    if (children > 0) work += costs.hand_s(segment) + static_cast<double>(children - 1) * costs.further_s();
    busiest = std::max(busiest, work);
  }
  const MemoryTreeCosts down = memory_tree_costs(std::span(&tree, 1), Direction::down, hosts());
  const double further = down.seconds(segments * segment, segment) - down_by_hand(tree, segment, costs);
  RC_ASSERT(std::abs(further - static_cast<double>(segments - 1) * busiest) < 1e-11);
}

TEST(MemoryCosts, SegmentsAreNeverReadFromTheirSender) {
  const Tree tree = line_through({0, 1});
  const MemoryTreeCosts costs = memory_tree_costs(std::span(&tree, 1), Direction::down, hosts());
  for (std::uint64_t bytes = 1; bytes < (1U << 25); bytes = bytes * 3 + 1) {
    EXPECT_LE(costs.best_segment(bytes), MemoryCosts::longest_segment);
  }
}

Costs of_two_ranks(Collective collective, std::string_view algorithm) {
  const Cluster cluster = testing::one_switch(2);
  const Placement placement(2, 0);
  return costs_of(cluster, placement, lay(collective, algorithm, &cluster, placement, 0), collective, hosts());
}

TEST(MemoryCosts, OfAnExchangeAreEachRanksHalves) {
  const Costs costs = of_two_ranks(Collective::allreduce, "halving-doubling");
  const std::uint64_t half = 4096;
  const double transfers_s = 4 * memory(half).hand_s(half) + memory(half).combine_s(half);
  EXPECT_NEAR(costs->seconds(2 * half, 2 * half), 2 * hosts().memory->round_s + transfers_s, 1e-12);
}

TEST(MemoryCosts, OfAnAllgatherHaveWhatEachRankCopiesOfItsOwn) {
  const Costs costs = of_two_ranks(Collective::allgather, "ring");
  const std::uint64_t share = 4096;
  const double own_s = hosts().memory->own_share_copies * hosts().memory->reach(share).copy_byte_s * 4096.0;
  EXPECT_GT(own_s, 0.0);
  const double transfer_s = memory(share).transfer_s(share, false);
  EXPECT_NEAR(costs->seconds(2 * share, share), hosts().memory->round_s + transfer_s + own_s, 1e-12);
}

TEST(MemoryCosts, OfALongMessageAreThoseOfReadingItWhereThatPays) {
  const MemorySpeeds& xeon = memory_speeds_named("xeon");
  const MemoryCosts costs(1U << 22, xeon, 0.1e-9);
  const std::uint64_t first = xeon.read_from_bytes;
  const auto bytes = static_cast<double>(first);
  EXPECT_DOUBLE_EQ(costs.transfer_s(first, false), xeon.read_s + xeon.read_byte_s * bytes);
  EXPECT_DOUBLE_EQ(costs.transfer_s(first, true),
                   xeon.read_s + xeon.read_to_combine_byte_s * bytes + costs.combine_s(first));
  const auto shorter = static_cast<double>(first - 1);
  const double pieces = shorter / static_cast<double>(MemoryCosts::longest_segment);
  const double copied_s = 2.0 * (pieces * xeon.message_s + xeon.reaches[2].copy_byte_s * shorter);
  EXPECT_DOUBLE_EQ(costs.transfer_s(first - 1, false), copied_s);
  EXPECT_DOUBLE_EQ(costs.transfer_s(first - 1, true),
                   copied_s + pieces * xeon.operation_s + 0.1e-9 * xeon.reaches[2].combine * shorter);
  EXPECT_DOUBLE_EQ(memory(1U << 30).transfer_s(1U << 20, false), 64.0 * memory(1U << 30).hand_s(1U << 15));
}

TEST(MemoryCosts, AreForRanksOfOneHostAlone) {
  const Cluster cluster = testing::one_switch(2);
  const Plan plan = lay(Collective::bcast, "flat", &cluster, {0, 1}, 0);
  EXPECT_GT(costs_of(cluster, {0, 1}, plan)->seconds(8, 8), 10e-6);
  EXPECT_LT(costs_of(cluster, {1, 1}, plan)->seconds(8, 8), 1e-6);
  EXPECT_THROW((void)costs_of(cluster, {7, 7}, plan), std::invalid_argument);
  EXPECT_THROW((void)costs_of(cluster, {0, 0, 0}, plan), std::invalid_argument);
}

}  // namespace
}  // namespace trunkline
