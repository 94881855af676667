// SPDX-License-Identifier: Apache-2.0
// wave, without charges for children that went to another parent. As wave, and a pass over the old parent's children
// each time a vertex changes parents.
#pragma once

#include "patterns/tree.hpp"
#include "weighted_graph/graph.hpp"

namespace trunkline {

/// As wave_tree(), but where a vertex leaves its parent for a better one, the children that were to be served after it
/// come one injection earlier, as far as they are still in the queue, and may keep their parent for that. Labelled.
/// Throws std::invalid_argument as check_reachable() does.
[[nodiscard]] Tree wave_mended_tree(const WeightedGraph& graph, Rank root);

}  // namespace trunkline
