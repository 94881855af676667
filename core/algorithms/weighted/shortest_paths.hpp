// SPDX-License-Identifier: Apache-2.0
// Plain shortest paths with labelled sends (Dijkstra; Mandal, Kennedy, Mellor-Crummey, 2001): blind to what many sends
// of one host cost together. O(V log V + E) as wave.
#pragma once

#include "patterns/tree.hpp"
#include "weighted_graph/graph.hpp"

namespace trunkline {

/// The tree of shortest paths by Delta + w, each edge as if it were its sender's only one. Labelled. Throws
/// std::invalid_argument as check_reachable() does.
[[nodiscard]] Tree shortest_paths_tree(const WeightedGraph& graph, Rank root);

}  // namespace trunkline
