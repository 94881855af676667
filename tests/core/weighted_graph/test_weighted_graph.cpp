// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "weighted_graph/graph.hpp"
#include "weighted_graph/schedule.hpp"
#include "weighted_graph/sites.hpp"
#include "weighted_graph/weighted_graphs.hpp"

namespace trunkline {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

DirectedEdge way(Rank from, Rank to, double weight_s, double injection_s) {
  return {.from = from, .edge = {.to = to, .weight_s = weight_s, .injection_s = injection_s}};
}

auto made_of(Rank vertices, const std::vector<DirectedEdge>& edges) {
  return [=] { return StoredGraph(vertices, edges); };
}

TEST(WeightedGraph, SaysWhatIsWrongWithAnEdge) {
  const auto refused = [](const char* why) { return ThrowsMessage<std::invalid_argument>(HasSubstr(why)); };
  EXPECT_THAT(made_of(3, {way(0, 1, 1e308, 0)}), refused("edge 0 -> 1: its weight is longer than thirty years"));
  EXPECT_THAT(made_of(3, {way(0, 1, -0.5, 0)}), refused("edge 0 -> 1: its weight is negative: -0.5"));
  EXPECT_THAT(made_of(3, {way(0, 1, std::nan(""), 0)}), refused("edge 0 -> 1: its weight is missing"));
  EXPECT_THAT(made_of(3, {way(0, 1, std::numeric_limits<double>::infinity(), 0)}), refused("weight is missing"));
  EXPECT_THAT(made_of(3, {way(0, 1, 0, -1)}), refused("edge 0 -> 1: its injection time is negative"));
  EXPECT_THAT(made_of(3, {way(0, 3, 1, 1)}), refused("edge 0 -> 3: vertices are 0 to 2"));
  EXPECT_THAT(made_of(3, {way(2, 2, 1, 1)}), refused("edge 2 -> 2: it leads back"));
  EXPECT_THAT(made_of(3, {way(0, 1, 1, 1), way(0, 1, 2, 1)}), refused("edge 0 -> 1: it is given twice"));
}

TEST(WeightedGraph, SaysWhichHostsNoPathLeadsTo) {
  const StoredGraph graph(9, std::vector{way(0, 1, 1, 1), way(2, 0, 1, 1)});
  EXPECT_THAT([&] { check_reachable(graph, 0); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("no path leads from 0 to 2, 3, 4, 5, 6 and 2 more")));
  EXPECT_THROW(check_reachable(graph, 9), std::invalid_argument);
  const StoredGraph alone(1, {});
  EXPECT_NO_THROW(check_reachable(alone, 0));
}

TEST(WeightedNetwork, WeightsFollowTheSize) {
  const std::vector<Injection> injection{{.message_s = 1e-3, .byte_s = 1e-7}, {.message_s = 2e-3, .byte_s = 0.0}};
  const std::vector<WideEdge> edges{
      {.from = 0, .to = 1, .latency_s = 0.02, .bandwidth_Bps = 1e6},
      {.from = 1, .to = 0, .latency_s = 0.03, .bandwidth_Bps = 1e6, .injection = Injection{.message_s = 5e-3}}};
  const StoredGraph small = weigh(injection, edges, 0);
  EXPECT_DOUBLE_EQ(small.find(0, 1)->weight_s, 0.02);
  EXPECT_DOUBLE_EQ(small.find(0, 1)->injection_s, 1e-3);
  EXPECT_DOUBLE_EQ(small.find(1, 0)->injection_s, 5e-3);
  const StoredGraph large = weigh(injection, edges, 100'000);
  EXPECT_DOUBLE_EQ(large.find(0, 1)->injection_s, 0.011);
  EXPECT_DOUBLE_EQ(large.find(0, 1)->transfer_s(), 0.02 + 1e-3 + 0.1);  // bytes at the slower of the two rates
  EXPECT_DOUBLE_EQ(large.find(1, 0)->weight_s, 0.13);
  EXPECT_THROW(weigh(injection, std::vector<WideEdge>{{.from = 0, .to = 1}}, 1), std::invalid_argument);
  EXPECT_THROW(weigh(injection, std::vector<WideEdge>{{.from = 2, .to = 1, .bandwidth_Bps = 1}}, 1),
               std::invalid_argument);
  EXPECT_THROW(weigh(std::vector<Injection>{{.message_s = -1}}, {}, 1), std::invalid_argument);
}

/// Broadcast time by following each message, straight from the paper's two conditions.
double followed(const WeightedGraph& graph, const Tree& tree, Rank at, double has_s) {
  double last = has_s;
  double injected_s = 0.0;
  for (const Rank child : tree.children[at]) {
    injected_s += graph.find(at, child)->injection_s;
    last = std::max(last, followed(graph, tree, child, has_s + injected_s + graph.find(at, child)->weight_s));
  }
  return last;
}

/// Each rank's parent is one that has an edge to it and stands before it in a random order.
Tree random_tree(const WeightedGraph& graph) {
  Tree tree = root_alone(graph.size(), 0);
  std::vector<bool> has(graph.size(), false);
  has[0] = true;
  for (Rank placed = 1; placed < graph.size(); ++placed) {
    std::vector<std::pair<Rank, Rank>> ways;
    for (Rank from = 0; from < graph.size(); ++from) {
      for (Rank to = 0; to < graph.size(); ++to) {
        if (has[from] && !has[to] && graph.find(from, to)) ways.emplace_back(from, to);
      }
    }
    const auto [from, to] = ways[*rc::gen::inRange<std::size_t>(0, ways.size())];
    add_child(tree, from, to);
    has[to] = true;
  }
  return tree;
}

/// The least over all orders of the sends of each rank of a tree.
double least_of_orders(const WeightedGraph& graph, Tree tree, Rank rank) {
  if (rank == tree.size()) return followed(graph, tree, 0, 0.0);
  std::vector<Rank> order = tree.children[rank];
  std::ranges::sort(order);
  double least = std::numeric_limits<double>::infinity();
  do {
    tree.children[rank] = order;
    least = std::min(least, least_of_orders(graph, tree, rank + 1));
  } while (std::ranges::next_permutation(order).found);
  return least;
}

RC_GTEST_PROP(Labelling, NoOtherOrderOfSendsIsFaster, ()) {
  const StoredGraph graph = testing::random_weighted(1, 6);
  Tree tree = random_tree(graph);
  RC_ASSERT(broadcast_s(graph, tree) == followed(graph, tree, 0, 0.0));
  const double least = least_of_orders(graph, tree, 0);
  const std::vector<double> labels = label(graph, tree);
  RC_ASSERT(labels[0] == least);
  RC_ASSERT(broadcast_s(graph, tree) == least);
}

TEST(Schedule, RefusesTreesThatDoNotFitTheGraph) {
  const StoredGraph graph(3, std::vector{way(0, 1, 1, 1), way(1, 2, 1, 1)});
  EXPECT_DOUBLE_EQ(broadcast_s(graph, line_through({0, 1, 2})), 4.0);
  EXPECT_THROW(static_cast<void>(broadcast_s(graph, line_through({0, 2, 1}))), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(broadcast_s(graph, line_through({0, 1}))), std::invalid_argument);
}

TEST(Sites, AreToldByTheWidestGap) {
  std::vector<DirectedEdge> edges;
  for (Rank from = 0; from < 6; ++from) {
    for (Rank to = 0; to < 6; ++to) {
      if (from != to) edges.push_back(way(from, to, from % 2 == to % 2 ? 1 + 0.1 * from : 20, 0.5));
    }
  }
  EXPECT_EQ(sites_of(StoredGraph(6, edges)), (std::vector<Rank>{0, 1, 0, 1, 0, 1}));
  for (DirectedEdge& edge : edges) edge.edge.weight_s = std::min(edge.edge.weight_s, 2.0);
  EXPECT_EQ(sites_of(StoredGraph(6, edges)), std::vector<Rank>(6, 0));  // less than three times as far
  EXPECT_EQ(sites_of(StoredGraph(2, std::vector{way(0, 1, 1, 1)})), (std::vector<Rank>{0, 1}));  // no way back
}

}  // namespace
}  // namespace trunkline
