// SPDX-License-Identifier: Apache-2.0
// Shortest paths that count what sends cost their senders (Mateescu, Taylor: "Efficient Broadcast on Computational
// Grids", figure 2), with the order of sends of its figure 3. O(V log V + E) with a heap whose keys fall in constant
// time; the heap here takes O((V + E) log V) at worst, and about as long as the former on random graphs.
#pragma once

#include "patterns/tree.hpp"
#include "weighted_graph/graph.hpp"

namespace trunkline {

/// Exactly as printed: a vertex that leaves the queue offers each neighbour in the queue, by rising number, its own
/// distance + Delta + w. A neighbour whose distance that lowers becomes its child, and the vertex' own distance grows
/// by Delta at once. The paper charges it for good: a child that finds a better parent later leaves its first one
/// charged. wave_mended_tree() does not. Labelled. Throws std::invalid_argument as check_reachable() does.
[[nodiscard]] Tree wave_tree(const WeightedGraph& graph, Rank root);

}  // namespace trunkline
