// SPDX-License-Identifier: Apache-2.0
#include "weighted_graph/schedule.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>

namespace trunkline {

std::vector<WeightedEdge> edges_of_tree(const WeightedGraph& graph, const Tree& tree) {
  if (tree.size() != graph.size()) {
    throw std::invalid_argument("a tree of " + std::to_string(tree.size()) + " ranks for a graph of " +
                                std::to_string(graph.size()));
  }
  std::vector<WeightedEdge> edges(tree.size());
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    if (rank == tree.root) continue;
    const auto edge = graph.find(tree.parent[rank], rank);
    if (!edge) {
      throw std::invalid_argument("the tree sends from " + std::to_string(tree.parent[rank]) + " to " +
                                  std::to_string(rank) + ", but no edge leads there");
    }
    edges[rank] = *edge;
  }
  return edges;
}

std::vector<double> arrivals_s(const WeightedGraph& graph, const Tree& tree) {
  const std::vector<WeightedEdge> edges = edges_of_tree(graph, tree);
  std::vector<double> arrival(tree.size(), 0.0);
  for (const Rank sender : parents_first(tree)) {
    double free_at = arrival[sender];
    for (const Rank child : tree.children[sender]) {
      free_at += edges[child].injection_s;
      arrival[child] = free_at + edges[child].weight_s;
    }
  }
  return arrival;
}

double broadcast_s(const WeightedGraph& graph, const Tree& tree) { return std::ranges::max(arrivals_s(graph, tree)); }

std::vector<double> label(const WeightedGraph& graph, Tree& tree) {
  const std::vector<WeightedEdge> edges = edges_of_tree(graph, tree);
  std::vector<double> labels(tree.size(), 0.0);
  const std::vector<Rank> order = parents_first(tree);
  for (std::size_t at = order.size(); at > 0; --at) {
    const Rank sender = order[at - 1];
    std::vector<Rank>& children = tree.children[sender];
    const auto still = [&](Rank child) { return labels[child] + edges[child].weight_s; };
    std::ranges::stable_sort(children, std::greater{}, still);
    double free_at = 0.0;
    for (const Rank child : children) {
      free_at += edges[child].injection_s;
      labels[sender] = std::max(labels[sender], free_at + still(child));
    }
  }
  return labels;
}

Tree tree_by_parents(Rank root, const std::vector<Rank>& parent) {
  Tree tree = root_alone(static_cast<Rank>(parent.size()), root);
  for (Rank rank = 0; rank < parent.size(); ++rank) {
    if (rank != root) add_child(tree, parent[rank], rank);
  }
  return tree;
}

}  // namespace trunkline
