// SPDX-License-Identifier: Apache-2.0
#include "algorithms/weighted/by_sites.hpp"

#include "algorithms/weighted/earliest_edge.hpp"
#include "weighted_graph/sites.hpp"

namespace trunkline {

Tree by_sites_tree(const WeightedGraph& graph, Rank root) {
  const std::vector<Rank> sites = sites_of(graph);
  return earliest_edge_tree(graph, root, {.sites = sites});
}

}  // namespace trunkline
