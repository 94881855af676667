// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "algorithms/weighted/shapes.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"
#include "weighted_graph/cluster_graph.hpp"
#include "weighted_graph/schedule.hpp"

namespace trunkline {
namespace {

RC_GTEST_PROP(ClusterGraph, WeighsWhatLiesOnThePath, ()) {
  const Cluster cluster =
      *rc::gen::arbitrary<bool>() ? testing::random_routed() : Cluster(testing::random_parts(9, 12));
  const Paths paths(cluster);
  const Placement placement = testing::random_placement(cluster, 14);
  const auto bytes = *rc::gen::element<std::uint64_t>(0, 1, 100'000);
  std::vector<Injection> injection;
  for (HostIndex host = 0; host < cluster.hosts().size(); ++host) {
    injection.push_back({.message_s = 1e-5 * *rc::gen::inRange(0, 9), .byte_s = 1e-8 * *rc::gen::inRange(0, 20)});
  }
  const ClusterGraph graph(paths, placement, injection, bytes);
  RC_ASSERT(graph.size() == placement.size());
  std::vector<WeightedEdge> room;
  for (Rank from = 0; from < graph.size(); ++from) {
    const std::span<const WeightedEdge> row = graph.edges_of(from, room);
    RC_ASSERT(row.size() + 1 == graph.size());
    RC_ASSERT(std::ranges::is_sorted(row, {}, &WeightedEdge::to));
    RC_ASSERT(!graph.find(from, from));
    for (const WeightedEdge& edge : row) {
      const WeightedEdge found = *graph.find(from, edge.to);
      RC_ASSERT(found.weight_s == edge.weight_s);
      RC_ASSERT(found.injection_s == edge.injection_s);
      const Injection& own = injection[placement[from]];
      double latency_s = 0.0;
      double first_byte_s = own.byte_s;
      double slowest_byte_s = own.byte_s;
      const std::vector<ChannelId> path =
          cluster.path(cluster.hosts()[placement[from]], cluster.hosts()[placement[edge.to]]);
      for (const ChannelId channel : path) {
        latency_s += cluster.link_of(channel).latency_s;
        slowest_byte_s = std::max(slowest_byte_s, 8.0 / cluster.link_of(channel).rate_bps);
      }
      if (!path.empty()) first_byte_s = std::max(first_byte_s, 8.0 / cluster.link_of(path.front()).rate_bps);
      const auto size = static_cast<double>(bytes);
      RC_ASSERT(std::abs(edge.injection_s - (own.message_s + size * first_byte_s)) < 1e-12);
      RC_ASSERT(std::abs(edge.transfer_s() - (own.message_s + latency_s + size * slowest_byte_s)) < 1e-12);
    }
  }
}

RC_GTEST_PROP(ClusterGraph, TakesEveryShape, ()) {
  const Cluster cluster(testing::random_parts(5, 8));
  const Paths paths(cluster);
  const Placement placement = block_placement(cluster, 1);
  const ClusterGraph graph(paths, placement, std::vector<Injection>(placement.size(), {.message_s = 1e-5}), 4096);
  const auto root = *rc::gen::inRange<Rank>(0, graph.size());
  double least = 0.0;
  for (const WeightedShape& shape : weighted_shapes()) {
    const Tree tree = shape.lay(graph, root);
    check_tree(tree);
    least = broadcast_s(graph, tree);  // the last one's: the optimum
  }
  constexpr double rounding = 1.0 - 1e-12;
  RC_ASSERT(broadcast_s(graph, weighted_shape("wave").lay(graph, root)) >= rounding * least);
}

TEST(ClusterGraph, RefusesWhatDoesNotFit) {
  const Cluster cluster = testing::one_switch(3);
  const Paths paths(cluster);
  const Placement placement = block_placement(cluster, 1);
  const Placement odd{0, 3};
  EXPECT_THROW(ClusterGraph(paths, placement, {{}, {}}, 1), std::invalid_argument);
  EXPECT_THROW(ClusterGraph(paths, placement, {{}, {.message_s = -1.0}, {}}, 1), std::invalid_argument);
  EXPECT_THROW(ClusterGraph(paths, odd, {{}, {}, {}}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace trunkline
