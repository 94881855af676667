// SPDX-License-Identifier: Apache-2.0
// What is laid late takes no less than its bound, and what runs is what would run if all were laid.
#include "choose/late_costs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <optional>

#include "algorithms/registry.hpp"
#include "algorithms/trees/k_nomial.hpp"
#include "choose/choose.hpp"
#include "network/with_speeds.hpp"
#include "networks.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

Cluster random_cluster() {
  const Cluster cluster(testing::random_parts(6, 30));
  return scaled(cluster, *rc::gen::element(1e8, 1e9, 1e10, 1e11));
}

Placement random_ranks(const Cluster& cluster) {
  const auto hosts = static_cast<HostIndex>(cluster.hosts().size());
  const auto each = *rc::gen::element<Rank>(1, 2, 3, 8, 16);
  Placement placement;
  for (HostIndex host = 0; host < hosts; ++host) placement.insert(placement.end(), each, host);
  if (*rc::gen::inRange(0, 3) == 0) placement = testing::random_placement(cluster, 100);
  return placement;
}

RC_GTEST_PROP(LateCosts, AreNeverBelowTheirBound, ()) {
  const Cluster cluster = random_cluster();
  const Placement placement = random_ranks(cluster);
  const auto ranks = static_cast<Rank>(placement.size());
  const auto root = *rc::gen::inRange<Rank>(0, ranks);
  const Paths paths(cluster);
  const HostCosts& hosts = known_host_costs()[*rc::gen::inRange<std::size_t>(0, known_host_costs().size())];
  for (const char* const algorithm : {"binomial", "4-nomial"}) {
    const unsigned k = degree_of_blind_tree(algorithm);
    const Tree tree = k_nomial_tree(ranks, root, k);
    RC_ASSERT(k_nomial_children_of_root(ranks, root, k) == tree.children[root]);
    const double least_byte_s = least_byte_s_of_blind_tree(paths, placement, root, k);
    const double least_s = least_s_of_blind_tree(paths, placement, root, k, hosts);
    const TreeCosts costs = tree_costs(paths, placement, tree, Direction::down, hosts);
    for (std::uint64_t bytes = 1; bytes <= std::uint64_t{1} << 24U; bytes = bytes * 3 + 1) {
      for (const std::uint64_t segment : segment_sizes()) {
        RC_ASSERT(costs.seconds(bytes, segment) >= (1.0 - 1e-9) * least_byte_s * least_wire_bytes(bytes));
        RC_ASSERT(costs.seconds(bytes, segment) >= (1.0 - 1e-9) * least_s);
      }
    }
  }
}

/// Of hosts with as many ranks each.
RC_GTEST_PROP(LateCosts, OfLanesAreNeverBelowTheirBound, ()) {
  const Cluster cluster = random_cluster();
  const auto lanes = *rc::gen::inRange<Rank>(3, 10);
  const Placement placement = block_placement(cluster, lanes);
  if (cluster.hosts().size() < 2) return;
  const Paths paths(cluster);
  const HostCosts& hosts = known_host_costs()[*rc::gen::inRange<std::size_t>(0, known_host_costs().size())];
  for (const char* const algorithm : {"4-lane-radix", "16-lane-radix"}) {
    const Rank radix = radix_of_lanes(algorithm);
    const auto [least_s, least_byte_s] = bound_of_lanes(paths, placement, lanes, radix, hosts);
    const Plan plan = lay(Collective::allreduce, algorithm, &cluster, placement, 0);
    const Costs costs = costs_of(cluster, placement, plan, Collective::allreduce, hosts);
    RC_ASSERT(plan.steps().has_one_order(Collective::allreduce));
    RC_ASSERT(!plan.steps().keeps_rank_order());
    RC_ASSERT(costs->can_pay());
    for (std::uint64_t bytes = 1; bytes <= std::uint64_t{1} << 24U; bytes = bytes * 3 + 1) {
      for (const std::uint64_t segment : segment_sizes()) {
        RC_ASSERT(costs->seconds(bytes, segment) >= (1.0 - 1e-9) * least_byte_s * least_wire_bytes(bytes));
        RC_ASSERT(costs->seconds(bytes, segment) >= (1.0 - 1e-9) * least_s);
      }
    }
  }
}

RC_GTEST_PROP(LateCosts, OfLaneTreesAreNeverBelowTheirBound, ()) {
  const Cluster cluster = random_cluster();
  const Placement placement = random_ranks(cluster);
  if (is_one_host(placement)) return;
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const HostCosts& hosts = known_host_costs()[*rc::gen::inRange<std::size_t>(0, known_host_costs().size())];
  for (const Collective collective : {Collective::bcast, Collective::reduce}) {
    const LaidOn ground{collective, std::make_shared<const Paths>(cluster), placement, root, hosts};
    for (const char* const algorithm : {"4-lane-tree", "16-lane-tree", "64-lane-tree"}) {
      const std::optional<Bound> bound = late_bound(ground, algorithm);
      RC_ASSERT(bound.has_value());
      const Plan plan = lay(collective, algorithm, &cluster, placement, root);
      const Costs costs = costs_of(cluster, placement, plan, collective, hosts);
      RC_ASSERT(plan.steps().has_one_order(collective));
      RC_ASSERT(costs->can_pay());
      for (std::uint64_t bytes = 1; bytes <= std::uint64_t{1} << 24U; bytes = bytes * 3 + 1) {
        for (const std::uint64_t segment : segment_sizes()) {
          RC_ASSERT(costs->seconds(bytes, segment) >= (1.0 - 1e-9) * bound->byte_s * least_wire_bytes(bytes));
          RC_ASSERT(costs->seconds(bytes, segment) >= (1.0 - 1e-9) * bound->s);
        }
      }
    }
  }
}

TEST(LateCosts, KnowLanesByTheirNames) {
  EXPECT_EQ(fan_out_of_lane_tree("16-lane-tree"), 16U);
  EXPECT_EQ(fan_out_of_lane_tree("16-lane-radix"), 0U);
  EXPECT_EQ(radix_of_lanes("4-lane-radix"), 4U);
  EXPECT_EQ(radix_of_lanes("16-lane-radix"), 16U);
  for (const char* const other : {"lane-radix", "4-lane-two-tree", "recursive-doubling", "4", ""}) {
    EXPECT_EQ(radix_of_lanes(other), 0U) << other;
  }
}

RC_GTEST_PROP(LateCosts, AreThoseOfTheirPlan, ()) {
  const Cluster cluster = random_cluster();
  const Placement placement = random_ranks(cluster);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const HostCosts& hosts = known_host_costs()[*rc::gen::inRange<std::size_t>(0, known_host_costs().size())];
  const auto ground = std::make_shared<const LaidOn>(
      LaidOn{Collective::bcast, std::make_shared<const Paths>(cluster), placement, root, hosts});
  const Costs late = late_costs(ground, "4-nomial");
  const Costs laid = costs_of(cluster, placement, lay(Collective::bcast, "4-nomial", &cluster, placement, root),
                              Collective::bcast, hosts);
  for (std::uint64_t bytes = 8; bytes <= std::uint64_t{1} << 24U; bytes *= 8) {
    RC_ASSERT(late->best_segment(bytes) == laid->best_segment(bytes));
    RC_ASSERT(late->seconds(bytes, 1408) == laid->seconds(bytes, 1408));
    RC_ASSERT(late->fastest_segment(bytes, cuts_of(bytes)).seconds ==
              laid->fastest_segment(bytes, cuts_of(bytes)).seconds);
  }
  RC_ASSERT(late->relayed_blocks() == laid->relayed_blocks());
  RC_ASSERT(late->exchanged_byte_s() == laid->exchanged_byte_s());
  RC_ASSERT(late->can_pay() == laid->can_pay());
  RC_ASSERT(late->opening_s() == laid->opening_s());
}

/// choose() looks at all rows.
RC_GTEST_PROP(LateCosts, RunWhereTheyAreTheFastest, ()) {
  const Cluster cluster = random_cluster();
  const Placement placement = random_ranks(cluster);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const HostCosts& hosts = known_host_costs()[*rc::gen::inRange<std::size_t>(0, known_host_costs().size())];
  const auto native = *rc::gen::element(NativeLibrary::mpich, NativeLibrary::openmpi);
  const auto collective = *rc::gen::element(Collective::bcast, Collective::allreduce, Collective::reduce);
  const Alternatives all = alternatives_of(collective, cluster, placement, root, native, hosts);
  for (std::uint64_t bytes = 8; bytes <= std::uint64_t{1} << 22U; bytes = bytes * 3 / 2) {
    for (const Reach reach : {Reach::datagrams, Reach::messages}) {
      const Pick runs = pick(all, bytes, OperandOrder::any, reach);
      const Choice told = choose(all, bytes, OperandOrder::any, reach);
      RC_ASSERT(runs.algorithm == told.algorithm);
      RC_ASSERT(runs.segment_bytes == told.segment_bytes);
    }
  }
}

}  // namespace
}  // namespace trunkline
