// SPDX-License-Identifier: Apache-2.0
// Fastest node first (Banikazemi, Moorthy, Panda: "Efficient Collective Communication on Heterogeneous Networks of
// Workstations", 1998). O(V E) steps at worst.
#pragma once

#include "patterns/tree.hpp"
#include "weighted_graph/graph.hpp"

namespace trunkline {

/// The next receiver is the host that can be reached and takes least to inject its own messages (the mean over its
/// edges), since it helps soonest; it gets the message from the host that would have it there first. Labelled. Throws
/// std::invalid_argument as check_reachable() does.
[[nodiscard]] Tree fastest_node_tree(const WeightedGraph& graph, Rank root);

}  // namespace trunkline
