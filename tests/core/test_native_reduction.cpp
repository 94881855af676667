// SPDX-License-Identifier: Apache-2.0
#include "model/native_reduction.hpp"

#include <gtest/gtest.h>

#include "algorithms/two_tree.hpp"
#include "model/wire.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using testing::one_switch;

constexpr std::uint64_t mebibyte = 1U << 20U;

double wire_s(std::uint64_t bytes) { return static_cast<double>(wire_bytes(bytes)) * 8.0 / 1e8; }

double native_over_wire(const Cluster& cluster, Collective collective, NativeLibrary library) {
  const auto costs = native_reduction_costs(Paths(cluster), block_placement(cluster, 1), collective, 0, library);
  return native_reduction_seconds(costs, mebibyte) / wire_s(mebibyte);
}

TEST(NativeReduction, OnOneSwitchHalvingIsNearTheBound) {
  const Cluster star = one_switch(32);
  for (const NativeLibrary library : {NativeLibrary::mpich, NativeLibrary::openmpi}) {
    EXPECT_NEAR(native_over_wire(star, Collective::allreduce, library), 2.0 * 31 / 32, 0.1);
  }
  EXPECT_NEAR(native_over_wire(star, Collective::reduce, NativeLibrary::mpich), 2.0 * 31 / 32, 0.1);
  EXPECT_NEAR(native_over_wire(star, Collective::reduce, NativeLibrary::openmpi), 1.1, 0.2);  // a chain
}

TEST(NativeReduction, FewerRanksThanAPowerOfTwoGoInPairsFirst) {
  EXPECT_NEAR(native_over_wire(one_switch(9), Collective::allreduce, NativeLibrary::mpich), 2.0 + 2.0 * 7 / 8, 0.1);
}

TEST(NativeReduction, OneRankTakesNoTime) {
  const Cluster star = one_switch(2);
  const auto costs = native_reduction_costs(Paths(star), Placement{0}, Collective::allreduce, 0, NativeLibrary::mpich);
  EXPECT_EQ(native_reduction_seconds(costs, mebibyte), 0.0);
}

TEST(TreeCostsUpAndDown, LongVectorsTakeTwiceABroadcast) {
  const Cluster star = one_switch(32);
  const Placement placement = block_placement(star, 1);
  const auto both = two_tree(star, placement, 0);
  const auto seconds = [&](Direction direction, std::uint64_t bytes) {
    const TreeCosts costs = tree_costs(Paths(star), placement, both, direction);
    return fastest_segment(costs, cuts_of(bytes)).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(Direction::up, mebibyte), seconds(Direction::down, mebibyte));
  EXPECT_NEAR(seconds(Direction::up_and_down, 64 * mebibyte) / seconds(Direction::down, 64 * mebibyte), 2.0, 0.1);
}

}  // namespace
}  // namespace trunkline
