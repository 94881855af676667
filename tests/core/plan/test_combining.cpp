// SPDX-License-Identifier: Apache-2.0
// What combining takes of predicted times: a reduction's alone, for each operand that a rank adds to its own.
#include <gtest/gtest.h>

#include <vector>

#include "algorithms/registry.hpp"
#include "model/native/exchanges.hpp"
#include "network/with_speeds.hpp"
#include "networks.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

constexpr double sum_byte_s = 1e-9;
constexpr std::uint64_t combined_segment = 10000;

HostCosts with_sums(bool costs) {
  HostCosts hosts = host_costs_named("mpich-5");
  hosts.combine_byte_s = costs ? sum_byte_s : 0.0;
  return hosts;
}

/// Seconds a byte of a message of one segment, or of what each further one takes more.
template <class Seconds>
double combined_bytes(Seconds seconds) {
  return (seconds(with_sums(true)) - seconds(with_sums(false))) / sum_byte_s;
}

TEST(Combining, IsOfEachThatComesUp) {
  const Cluster star = scaled(testing::one_switch(2), 1e12);  // nothing waits for links
  const Placement placement{0, 0, 0, 0, 1};
  Tree tree = root_alone(5, 0);
  for (const Rank rank : {4U, 1U, 2U, 3U}) add_child(tree, 0, rank);
  const auto bytes = [&](Direction direction, std::uint64_t segments) {
    return combined_bytes([&](const HostCosts& hosts) {
      return tree_costs(Paths(star), placement, tree, direction, hosts)
          .seconds(segments * combined_segment, combined_segment);
    });
  };
  EXPECT_EQ(bytes(Direction::down, 1), 0.0);
  EXPECT_GT(bytes(Direction::up, 1), 0.0);
  EXPECT_GT(bytes(Direction::up_and_down, 1), 0.0);
  // Further segments wait for the root, which adds four.
  EXPECT_NEAR(bytes(Direction::up, 9) - bytes(Direction::up, 8), 4.0 * combined_segment, 1.0);
  EXPECT_NEAR(bytes(Direction::up_and_down, 9) - bytes(Direction::up_and_down, 8), 4.0 * combined_segment, 1.0);
}

TEST(Combining, IsOfWhatRoundsAddUp) {
  const Cluster star = testing::one_switch(2);
  const auto bytes = [&](const char* name, Collective collective, const Placement& placement) {
    const Plan plan = lay(collective, name, &star, placement, 0);
    return combined_bytes([&](const HostCosts& hosts) {
      return costs_of(star, placement, plan, collective, hosts)->seconds(8 * combined_segment, 8 * combined_segment);
    });
  };
  // Each adds up a half; with two ranks a host a half in memory, then a quarter.
  EXPECT_NEAR(bytes("halving-doubling", Collective::allreduce, {0, 1}), 4.0 * combined_segment, 1.0);
  EXPECT_NEAR(bytes("halving-doubling", Collective::allreduce, {0, 0, 1, 1}), 6.0 * combined_segment, 1.0);
  // Half of a ring's rounds add up: of each the mean counts.
  EXPECT_NEAR(bytes("lane-ring", Collective::allreduce, {0, 0, 1, 1}), 5.0 * combined_segment, 1.0);
  EXPECT_NEAR(bytes("ring", Collective::allgather, {0, 0, 1, 1}), 0.0, 1.0);
  EXPECT_GT(bytes("ring", Collective::reduce_scatter, {0, 0, 1, 1}), 2.0 * combined_segment);
}

TEST(Combining, IsOfWhatOtherLibrariesAddUp) {
  const Cluster star = testing::one_switch(4);
  const Placement placement = block_placement(star, 1);
  const auto parts = [&](double reducing) {
    const std::vector<Exchange> all{{.transfers = {{0, 1}, {2, 3}}, .part = 0.5, .times = 2.0, .reducing = reducing}};
    const RoundCost cost = exchange_cost(Paths(star), placement, all);
    return combined_bytes(
        [&](const HostCosts& hosts) { return cost.seconds(combined_segment, combined_segment / 2, hosts); });
  };
  EXPECT_EQ(parts(0.0), 0.0);
  EXPECT_NEAR(parts(0.5), combined_segment / 2.0, 1.0);
  EXPECT_NEAR(parts(1.0), combined_segment, 1.0);
}

}  // namespace
}  // namespace trunkline
