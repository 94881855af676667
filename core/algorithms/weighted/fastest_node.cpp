// SPDX-License-Identifier: Apache-2.0
// Fastest node first (Banikazemi, Moorthy, Panda: "Efficient Collective Communication on Heterogeneous Networks of
// Workstations", 1998). O(V E) steps at worst.
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "algorithms/weighted/shapes.hpp"
#include "weighted_graph/schedule.hpp"

namespace trunkline {

Tree fastest_node_tree(const WeightedGraph& graph, Rank root) {
  check_reachable(graph, root);
  struct Way {
    Rank from;
    WeightedEdge edge;
  };
  std::vector<std::vector<Way>> ways(graph.size());  // to each host
  std::vector<double> injection_s(graph.size(), 0.0);
  std::vector<WeightedEdge> room;
  for (Rank from = 0; from < graph.size(); ++from) {
    const auto row = graph.edges_of(from, room);
    for (const WeightedEdge& edge : row) {
      ways[edge.to].push_back({from, edge});
      injection_s[from] += edge.injection_s / static_cast<double>(row.size());
    }
  }
  Tree tree = root_alone(graph.size(), root);
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> free_at(graph.size(), never);  // of hosts with the message
  std::set<std::pair<double, Rank>> next;            // hosts without it that one with it has an edge to
  const auto take = [&](Rank rank, double arrival_s) {
    free_at[rank] = arrival_s;
    for (const WeightedEdge& edge : graph.edges_of(rank, room)) {
      if (free_at[edge.to] == never) next.emplace(injection_s[edge.to], edge.to);
    }
  };
  take(root, 0.0);
  while (!next.empty()) {
    const Rank receiver = next.begin()->second;
    next.erase(next.begin());
    Way first = ways[receiver].front();
    double first_s = never;
    for (const Way& way : ways[receiver]) {
      const double arrival_s = free_at[way.from] + way.edge.transfer_s();
      if (arrival_s < first_s) {
        first = way;
        first_s = arrival_s;
      }
    }
    add_child(tree, first.from, receiver);
    free_at[first.from] += first.edge.injection_s;
    take(receiver, first_s);
  }
  label(graph, tree);
  return tree;
}

}  // namespace trunkline
