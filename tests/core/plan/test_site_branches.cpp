// SPDX-License-Identifier: Apache-2.0
// Trees over long links: what one site waits for is not what another one is far away by.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/transfer/wire.hpp"
#include "network/file/cluster_file.hpp"
#include "networks.hpp"
#include "plan/in_flight.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

using testing::random_parts;
using testing::random_placement;
using testing::random_tree;

constexpr std::uint64_t segment = 1408;  // and a header: a frame

/// What a message takes in segments on one link.
double wire_s(double bytes, double bps) {
  return bytes / static_cast<double>(segment) * static_cast<double>(wire_bytes(segment)) * 8.0 / bps;
}

double seconds(TreeCosts costs, std::uint64_t bytes, bool by_branches) {
  if (!by_branches) costs.branches.clear();
  return costs.seconds(bytes, segment);
}

/// A root, a host near it over a slow link, and one far away over a fast one.
Cluster near_and_far(const std::string& near_rate) {
  return parse_cluster(
      "trunkline: cluster/1\nname: x\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: [s0, s1, s2]\n"
      "hosts: [{hosts: a, switch: s0}, {hosts: b, switch: s1}, {hosts: c, switch: s2}]\nlinks:\n"
      "  - {between: [s0, s1], latency: 1ms, rate: " +
          near_rate + "}\n  - {between: [s0, s2], latency: 50ms, rate: 50Mbit}\n",
      "x.yaml");
}

const Tree star{.root = 0, .parent = {no_rank, 0, 0}, .children = {{2, 1}, {}, {}}};

TEST(SiteBranches, AreTheLongerOfTheSlowWayAndTheFarOne) {
  const Cluster cluster = near_and_far("5Mbit");
  const Paths paths(cluster);
  for (const Direction direction : {Direction::down, Direction::up}) {
    TreeCosts costs = tree_costs(paths, {0, 1, 2}, star, direction, host_costs_named("free"));
    costs.in_flight_bytes = most_in_flight_bytes;
    ASSERT_EQ(costs.branches.size(), 2U);
    // 100 000 B: 170 ms over the slow link, 17 and 50 over the far one.
    EXPECT_NEAR(seconds(costs, 100'000, true), 1e-3 + wire_s(100e3, 5e6), 5e-3);
    EXPECT_NEAR(seconds(costs, 100'000, false), 50e-3 + wire_s(100e3, 5e6), 5e-3);
    // 20 000 B: 34 ms over the slow one, 53 to the far one.
    EXPECT_NEAR(seconds(costs, 20'000, true), 50e-3 + wire_s(20e3, 50e6), 5e-3);
  }
}

TEST(SiteBranches, OfAWindowAreAsSlowAsTheSlowestOfThem) {
  const Cluster cluster = near_and_far("1Mbit");
  TreeCosts costs = tree_costs(Paths(cluster), {0, 1, 2}, star, Direction::down, host_costs_named("free"));
  costs.in_flight_bytes = 16 * segment;
  costs.branches.erase(costs.branches.begin());  // what the slow site itself waits for
  const auto window = static_cast<double>(window_of(segment, costs.in_flight_bytes));
  // All but the last window have gone to the slow site before the last segment is sent to the far one.
  EXPECT_NEAR(seconds(costs, 100 * segment, true), 50e-3 + (100.0 - 1.0 - window) * wire_s(segment, 1e6), 20e-3);
}

TEST(SiteBranches, AreNoneWhereOneSlowestLinkIsOnTheWayToAll) {
  const Cluster cluster = near_and_far("50Mbit");
  EXPECT_TRUE(
      tree_costs(Paths(cluster), {1, 2}, {.root = 0, .parent = {no_rank, 0}, .children = {{1}, {}}}).branches.empty());
  const Cluster near = testing::one_switch(3);
  EXPECT_TRUE(tree_costs(Paths(near), {0, 1, 2}, star).branches.empty());
}

RC_GTEST_PROP(SiteBranches, AreNoSlowerThanAllThatIsSlowTogetherNorFasterThanAnyOfIt, ()) {
  const Cluster cluster(testing::with_long_links(random_parts(5, 8)));
  const Placement placement = random_placement(cluster, 10);
  const Tree tree = random_tree(static_cast<Rank>(placement.size()));
  const Paths paths(cluster);
  const auto direction = *rc::gen::element(Direction::down, Direction::up);
  const TreeCosts costs = tree_costs(paths, placement, tree, direction, host_costs_named("mpich"));
  for (const std::uint64_t bytes : {8U, 5000U, 3000000U}) {
    const double together_s = seconds(costs, bytes, false);
    const double apart_s = seconds(costs, bytes, true);
    RC_ASSERT(apart_s <= together_s * (1.0 + 1e-9));
    for (const TreeCosts::Branch& branch : costs.branches) {
      TreeCosts alone = costs;
      alone.latest = branch.latest;
      alone.busiest = branch.busiest;
      RC_ASSERT(apart_s >= seconds(alone, bytes, false) * (1.0 - 1e-9));
    }
  }
}

}  // namespace
}  // namespace trunkline
