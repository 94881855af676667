// SPDX-License-Identifier: Apache-2.0
#include "algorithms/weighted/shapes.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace trunkline {
namespace {

Tree lay_earliest_edge(const WeightedGraph& graph, Rank root) { return earliest_edge_tree(graph, root, {}); }
Tree lay_earliest_edge_ahead(const WeightedGraph& graph, Rank root) {
  return earliest_edge_tree(graph, root, {.looks_ahead = true});
}

constexpr std::array shapes{
    WeightedShape{"wave", "shortest paths that count what sends cost their senders, as the grid paper prints it",
                  wave_tree},
    WeightedShape{"wave-mended", "wave, without charges for children that went to another parent", wave_mended_tree},
    WeightedShape{"shortest-paths", "plain shortest paths, sends labelled", shortest_paths_tree},
    WeightedShape{"earliest-edge", "the edge along which a message arrives first is next", lay_earliest_edge},
    WeightedShape{"earliest-edge-ahead", "the same, with what the receiver can do next", lay_earliest_edge_ahead},
    WeightedShape{"fastest-node", "the host that injects fastest is next", fastest_node_tree},
    WeightedShape{"earliest-edge-by-sites", "one message into each site, earliest edges within and between",
                  by_sites_tree},
    WeightedShape{"local-search", "the best of all these, with subtrees moved and hosts swapped", local_search_tree},
    WeightedShape{"optimum", "no schedule is faster; for small graphs", optimal_tree},
};

}  // namespace

std::span<const WeightedShape> weighted_shapes() { return shapes; }

const WeightedShape& weighted_shape(std::string_view name) {
  const auto* const found = std::ranges::find(shapes, name, &WeightedShape::name);
  if (found == shapes.end()) throw std::invalid_argument("no shape over weighted graphs is named " + std::string(name));
  return *found;
}

}  // namespace trunkline
