// SPDX-License-Identifier: Apache-2.0
// The best of all other shapes, improved step by step. O(V^2) steps a round, each O(V log V), with an end in sight.
#pragma once

#include <cstddef>
#include <vector>

#include "patterns/tree.hpp"
#include "weighted_graph/graph.hpp"

namespace trunkline {

/// The search ends once the trees that it tried had that many hosts in all: two to three seconds.
inline constexpr std::size_t most_hosts_tried = 4'000'000;

/// Moves subtrees and swaps hosts as long as that makes the broadcast faster, or as fast with less to wait for all
/// hosts together; from each of `starts`, and goes on from the fastest one with a few subtrees moved at random, a
/// hundred times, always in the same way; no further once most_hosts_tried is reached. Each start must have passed
/// check_tree(). Labelled. Throws std::invalid_argument where there is none, or a start uses an edge that is not there.
[[nodiscard]] Tree improved_tree(const WeightedGraph& graph, const std::vector<Tree>& starts);

/// improved_tree() of all other shapes but the optimum. Throws std::invalid_argument as check_reachable() does.
[[nodiscard]] Tree local_search_tree(const WeightedGraph& graph, Rank root);

}  // namespace trunkline
