// SPDX-License-Identifier: Apache-2.0
#include "weighted_graph/labelling.hpp"

#include <algorithm>
#include <functional>

namespace trunkline {

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

}  // namespace trunkline
