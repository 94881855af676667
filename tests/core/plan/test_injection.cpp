// SPDX-License-Identifier: Apache-2.0
// What a cluster file's injection times make of plans and their costs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "algorithms/registry.hpp"
#include "model/native/native_times.hpp"
#include "model/transfer/host_costs.hpp"
#include "networks.hpp"
#include "plan/costs.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

constexpr double injection_s = 5e-3;
constexpr std::uint64_t message = 100;

/// Four hosts on a switch, some of which are kept busy.
Cluster with_injection(const std::vector<HostIndex>& slow) {
  const Cluster cluster = testing::one_switch(4);
  Cluster::Parts parts = cluster.stated();
  for (const HostIndex host : slow) parts.nodes[cluster.hosts()[host]].injection_s = injection_s;
  return Cluster(parts);
}

/// What injection adds to a message in one piece over hosts that cost nothing else.
double added_s(const Tree& tree, Direction direction, const std::vector<HostIndex>& slow) {
  const Placement placement{0, 1, 2, 3};
  const auto seconds = [&](const Cluster& cluster) {
    return tree_costs(Paths(cluster), placement, tree, direction, host_costs_named("free")).seconds(message, message);
  };
  return seconds(with_injection(slow)) - seconds(testing::one_switch(4));
}

TEST(Injection, DelaysReceiversOneAfterAnother) {
  constexpr double rounding_s = 1e-4;  // of the links, which sends of busy hosts do not wait for
  const Tree line = line_through({0, 1, 2, 3});
  const Tree flat = trees_of(lay(Collective::bcast, "flat", nullptr, Placement(4), 0)).front();
  EXPECT_NEAR(added_s(line, Direction::down, {0, 1, 2, 3}), 3.0 * injection_s, rounding_s);
  EXPECT_NEAR(added_s(line, Direction::down, {1}), injection_s, rounding_s);
  EXPECT_NEAR(added_s(line, Direction::down, {3}), 0.0, rounding_s);  // it sends nothing
  EXPECT_NEAR(added_s(flat, Direction::down, {0}), 3.0 * injection_s, rounding_s);
  EXPECT_NEAR(added_s(flat, Direction::down, {1, 2, 3}), 0.0, rounding_s);
  // Up, children send, all at once.
  EXPECT_NEAR(added_s(flat, Direction::up, {0, 1, 2, 3}), injection_s, rounding_s);
  EXPECT_NEAR(added_s(flat, Direction::up, {0}), 0.0, rounding_s);
  EXPECT_NEAR(added_s(line, Direction::up, {3}), injection_s, rounding_s);
  EXPECT_NEAR(added_s(flat, Direction::up_and_down, {0, 1, 2, 3}), 4.0 * injection_s, rounding_s);
  // Two roots: operands to both, over to each other, and down. One of them sends three times, the first over.
  Tree exchanging = flat;
  exchanging.exchange = 1;
  EXPECT_NEAR(added_s(exchanging, Direction::up_and_down, {0, 1, 2, 3}), 4.0 * injection_s, rounding_s);
  EXPECT_NEAR(added_s(exchanging, Direction::up_and_down, {1}), injection_s, rounding_s);
  EXPECT_NEAR(added_s(exchanging, Direction::up_and_down, {2, 3}), injection_s, rounding_s);
}

TEST(Injection, IsPaidForEachSegment) {
  const Placement placement{0, 1, 2, 3};
  const Costs costs =
      costs_of(with_injection({0, 1, 2, 3}), placement, lay(Collective::bcast, "unaware-linear", nullptr, placement, 0),
               Collective::bcast, host_costs_named("free"));
  EXPECT_NEAR(costs->seconds(10 * message, message), (10.0 + 3.0 - 1.0) * injection_s, 0.1 * injection_s);
  EXPECT_GE(costs->best_segment(10 * message), 10 * message);
}

TEST(Injection, DelaysEachRoundOfExchangesAndOfTheLibrarysOwn) {
  const Placement placement{0, 1, 2, 3};
  const auto seconds = [&](const Cluster& cluster, Collective collective, std::string_view name) {
    return costs_of(cluster, placement, lay(collective, name, &cluster, placement, 0), collective,
                    host_costs_named("free"))
        ->seconds(message, message);
  };
  const Cluster free = testing::one_switch(4);
  const Cluster slow = with_injection({0, 1, 2, 3});
  EXPECT_NEAR(seconds(slow, Collective::allreduce, "recursive-doubling") -
                  seconds(free, Collective::allreduce, "recursive-doubling"),
              2.0 * injection_s, 1e-9);
  const auto native = [&](const Cluster& cluster) {
    return native_times(Paths(cluster), placement, Collective::bcast, 0, NativeLibrary::mpich, host_costs_named("free"))
        ->seconds(message);
  };
  EXPECT_NEAR(native(slow) - native(free), 2.0 * injection_s, 1e-4);
}

/// The root is so slow that whoever knows sends from it once.
TEST(Injection, ChangesWaves) {
  const Cluster cluster = with_injection({0});
  const auto root_sends = [](const Cluster& over, std::string_view name) {
    return trees_of(lay(Collective::bcast, name, &over, {0, 1, 2, 3}, 0, message)).front().children[0].size();
  };
  for (const std::string_view name : {"wave", "wave-mended"}) {
    EXPECT_GT(root_sends(testing::one_switch(4), name), 1U) << name;
    EXPECT_EQ(root_sends(cluster, name), 1U) << name;
  }
}

RC_GTEST_PROP(Injection, NeverMakesAPlanFaster, ()) {
  Cluster::Parts parts = testing::random_parts(4, 12);
  const Cluster free(parts);
  for (Node& node : parts.nodes) {
    if (node.kind == NodeKind::host) node.injection_s = 1e-4 * *rc::gen::inRange(0, 10);
  }
  const Cluster slow(parts);
  const Placement placement = testing::random_placement(free, 16);
  const Collective collective = *rc::gen::element(Collective::bcast, Collective::reduce, Collective::allreduce);
  const auto name = *rc::gen::element<std::string>("linear", "binary", "two-tree", "flat", "binomial");
  const Plan plan = lay(collective, name, &free, placement, 0);
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  const std::uint64_t segment = std::max<std::uint64_t>(1, bytes / *rc::gen::inRange<std::uint64_t>(1, 9));
  const auto seconds = [&](const Cluster& cluster) {
    return costs_of(cluster, placement, plan, collective, host_costs_named("free"))->seconds(bytes, segment);
  };
  RC_ASSERT(seconds(slow) >= (1.0 - 1e-9) * seconds(free));
}

}  // namespace
}  // namespace trunkline
