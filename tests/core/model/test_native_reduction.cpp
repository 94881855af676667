// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/trees/two_tree.hpp"
#include "algorithms/trees/unaware_k_ary.hpp"
#include "model/native/exchanges.hpp"
#include "model/transfer/wire.hpp"
#include "networks.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

using testing::one_switch;

constexpr std::uint64_t mebibyte = 1U << 20U;

double wire_s(std::uint64_t bytes) { return static_cast<double>(wire_bytes(bytes)) * 8.0 / 1e8; }

double native_over_wire(const Cluster& cluster, Collective collective, NativeLibrary library) {
  const Paths paths(cluster);
  const auto times = native_times(paths, block_placement(cluster, 1), collective, 0, library, usual_host_costs());
  return times->seconds(mebibyte) / wire_s(mebibyte);
}

TEST(NativeReduction, OnOneSwitchHalvingIsNearTheBound) {
  const Cluster star = one_switch(32);
  for (const NativeLibrary library : {NativeLibrary::mpich, NativeLibrary::openmpi}) {
    EXPECT_NEAR(native_over_wire(star, Collective::allreduce, library), 2.0 * 31 / 32, 0.1);
  }
  EXPECT_NEAR(native_over_wire(star, Collective::reduce, NativeLibrary::mpich), 2.0 * 31 / 32, 0.1);
}

TEST(NativeReduction, OpenMpiReducesInOnePiece) {
  EXPECT_NEAR(native_over_wire(one_switch(32), Collective::reduce, NativeLibrary::openmpi), 5.0, 0.1);  // levels
  // All others at once through the root's link; then, below the rule's next size, a binomial tree.
  EXPECT_NEAR(native_over_wire(one_switch(6), Collective::reduce, NativeLibrary::openmpi), 5.0, 0.1);
  EXPECT_EQ(native_reduction(NativeLibrary::openmpi, Collective::reduce, 6, 98304), NativeReduction::binomial_tree);
  EXPECT_NEAR(native_over_wire(one_switch(3), Collective::reduce, NativeLibrary::openmpi), 2.0, 0.1);  // a line
}

TEST(NativeReduction, InOrderTheLastOfRanksInARowIsTheRoot) {
  const Tree tree = in_order_binary_tree(5);
  EXPECT_EQ(tree.root, 4U);
  EXPECT_EQ(tree.children, (std::vector<std::vector<Rank>>{{}, {0}, {}, {2}, {3, 1}}));
  EXPECT_EQ(in_order_binary_tree(1).root, 0U);
}

/// So it takes far less than a tree over ranks by number, most of whose transfers are between hosts.
TEST(NativeReduction, InOrderRanksOfAHostSumUpAmongThemselves) {
  const Cluster star = one_switch(24);
  constexpr std::uint64_t bytes = 8192;
  ASSERT_EQ(native_reduction(NativeLibrary::openmpi, Collective::reduce, 384, bytes), NativeReduction::in_order);
  const Paths paths(star);
  const HostCosts& hosts = host_costs_named("free");
  const auto times =
      native_times(paths, block_placement(star, 16), Collective::reduce, 0, NativeLibrary::openmpi, hosts);
  const RoundCost by_number = level_cost(paths, block_placement(star, 16), unaware_k_ary_tree(384, 0, 2), true);
  EXPECT_LT(4 * times->seconds(bytes), by_number.seconds(bytes, bytes, hosts));
}

/// The fold is a message there and one back; two rounds of halves would have been m / 2.
TEST(NativeReduction, FewerRanksThanAPowerOfTwoGoInPairsFirst) {
  EXPECT_NEAR(native_over_wire(one_switch(9), Collective::allreduce, NativeLibrary::mpich), 2.0 + 2.0 * 7 / 8, 0.1);
}

/// As their own tables have it; which of them runs was seen by what hosts send (`trunkline-traffic`).
TEST(NativeReduction, MpichDividesWhatHasAnElementForEachRank) {
  const auto runs = [](Collective collective, Rank ranks, std::uint64_t bytes) {
    return native_reduction(NativeLibrary::mpich, collective, ranks, bytes);
  };
  EXPECT_EQ(runs(Collective::allreduce, 32, 8), NativeReduction::doubling);
  EXPECT_EQ(runs(Collective::allreduce, 6, 240), NativeReduction::halving);
  EXPECT_EQ(runs(Collective::allreduce, 32, 255), NativeReduction::doubling);
  EXPECT_EQ(runs(Collective::allreduce, 63, 256), NativeReduction::halving);
  EXPECT_EQ(runs(Collective::allreduce, 1024, 4096), NativeReduction::doubling);
  EXPECT_EQ(runs(Collective::reduce, 32, 2048), NativeReduction::binomial_tree);
  EXPECT_EQ(runs(Collective::reduce, 32, 2049), NativeReduction::halving);
  EXPECT_EQ(runs(Collective::reduce, 1024, 8191), NativeReduction::binomial_tree);
}

TEST(NativeReduction, OpenMpiGoesByRanksAndSize) {
  const auto runs = [](Rank ranks, std::uint64_t bytes) {
    return native_reduction(NativeLibrary::openmpi, Collective::allreduce, ranks, bytes);
  };
  EXPECT_EQ(runs(3, 65536), NativeReduction::ring);
  EXPECT_EQ(runs(3, 262144), NativeReduction::halving);
  EXPECT_EQ(runs(6, 8191), NativeReduction::doubling);
  EXPECT_EQ(runs(6, 8192), NativeReduction::halving);
  EXPECT_EQ(runs(32, 4096), NativeReduction::halving);
  EXPECT_EQ(runs(64, 262143), NativeReduction::doubling);
  EXPECT_EQ(runs(64, 262144), NativeReduction::halving);
  EXPECT_EQ(runs(128, 131071), NativeReduction::reduce_and_bcast);
  EXPECT_EQ(runs(5000, 20000), NativeReduction::doubling);
}

TEST(NativeReduction, OneAfterTheOtherTakesBothTimes) {
  const Cluster star = one_switch(130);
  const Paths paths(star);
  const Placement placement = block_placement(star, 1);
  const auto seconds = [&](Collective collective) {
    return native_times(paths, placement, collective, 0, NativeLibrary::openmpi, usual_host_costs())->seconds(65536);
  };
  EXPECT_DOUBLE_EQ(seconds(Collective::allreduce), seconds(Collective::reduce) + seconds(Collective::bcast));
}

TEST(NativeReduction, WhateverIsSelectedHasItsCost) {
  for (const NativeLibrary library : {NativeLibrary::mpich, NativeLibrary::openmpi}) {
    for (const Collective collective : {Collective::reduce, Collective::allreduce}) {
      for (const Rank ranks : {2U, 3U, 4U, 7U, 8U, 13U, 16U, 31U, 32U, 64U, 130U, 256U, 600U}) {
        const Cluster star = one_switch(ranks);
        const Paths paths(star);
        const auto times =
            native_times(paths, block_placement(star, 1), collective, ranks - 1, library, usual_host_costs());
        for (std::uint64_t bytes = 1; bytes < 64 * mebibyte; bytes = bytes * 3 / 2 + 1) {
          EXPECT_GT(times->seconds(bytes), 0.0) << ranks << " ranks, " << bytes << " bytes";
        }
      }
    }
  }
}

TEST(NativeReduction, OneRankTakesNoTime) {
  const Cluster star = one_switch(2);
  const Paths paths(star);
  const auto times =
      native_times(paths, Placement{0}, Collective::allreduce, 0, NativeLibrary::mpich, usual_host_costs());
  EXPECT_EQ(times->seconds(mebibyte), 0.0);
}

TEST(TreeCostsUpAndDown, LongVectorsTakeTwiceABroadcast) {
  const Cluster star = one_switch(32);
  const Placement placement = block_placement(star, 1);
  const auto both = two_tree(star, placement, 0);
  const auto seconds = [&](Direction direction, std::uint64_t bytes) {
    const TreeCosts costs = tree_costs(Paths(star), placement, both, direction, host_costs_named("free"));
    return costs.fastest_segment(bytes, cuts_of(bytes)).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(Direction::up, mebibyte), seconds(Direction::down, mebibyte));
  EXPECT_NEAR(seconds(Direction::up_and_down, 64 * mebibyte) / seconds(Direction::down, 64 * mebibyte), 2.0, 0.1);
}

}  // namespace
}  // namespace trunkline
