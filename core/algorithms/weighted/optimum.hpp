// SPDX-License-Identifier: Apache-2.0
// The fastest of all broadcasts over a weighted graph, by dynamic programming over sets of hosts: a yardstick for small
// graphs. O(V 3^V) steps.
#pragma once

#include "patterns/tree.hpp"
#include "weighted_graph/graph.hpp"

namespace trunkline {

/// Vertices up to which an optimum takes no more than seconds and some tens of megabytes.
inline constexpr Rank most_for_optimum = 14;

/// No tree and no order of sends is faster, and no host gains by waiting. A host with the message and a set of others
/// to serve sends first to some v, which serves a part of the set, while the host serves the rest:
///   f(u, S) = min over v in A, A a part of S, of Delta(u, v) + max(w(u, v) + f(v, A - v), f(u, S - A)).
/// Throws std::invalid_argument where there are more vertices, or as check_reachable() does.
[[nodiscard]] Tree optimal_tree(const WeightedGraph& graph, Rank root);

}  // namespace trunkline
