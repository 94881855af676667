// SPDX-License-Identifier: Apache-2.0
// How long a broadcast takes in which each host sends the whole message to its children one after another.
#pragma once

#include <vector>

#include "patterns/tree.hpp"
#include "weighted_graph/graph.hpp"

namespace trunkline {

/// The edge by which each rank of a tree gets the message. The root's is empty: {}. Throws std::invalid_argument where
/// the tree is of another size, or uses an edge that is not there. The tree must have passed check_tree().
[[nodiscard]] std::vector<WeightedEdge> edges_of_tree(const WeightedGraph& graph, const Tree& tree);

/// Seconds after the root begins at which each rank has the message. A sender injects one message at a time, in the
/// order of its children, and begins once it has the message itself: the i-th child has it at the end of its injection
/// plus w (conditions (i) and (ii) of the paper's section 1; the i Delta(u) + w(u, v_i) of its section 3). The
/// injections before count each with its own time: the paper's figure 3 has the child's own time i times, which is the
/// same where a host has one injection time. Throws as edges_of_tree() does. Time O(ranks) besides its look-ups.
[[nodiscard]] std::vector<double> arrivals_s(const WeightedGraph& graph, const Tree& tree);

/// Until the last rank has it. Throws as arrivals_s() does.
[[nodiscard]] double broadcast_s(const WeightedGraph& graph, const Tree& tree);

/// Orders each rank's children by falling label + w, so that what takes longest leaves first, and returns the labels:
/// seconds from the moment a rank has the message until all below it have it. That of the root is broadcast_s(), and no
/// other order of the same tree's sends is faster: for each sender this is one machine with delivery times, where the
/// longest delivery first is best whatever each job takes (Jackson, 1955), and its label alone reaches its parent.
/// Equal ones keep their order. Throws as edges_of_tree() does. Time O(V log V), without recursion.
std::vector<double> label(const WeightedGraph& graph, Tree& tree);

/// Of the parent of each rank: children by rising number, until label() orders them.
[[nodiscard]] Tree tree_by_parents(Rank root, const std::vector<Rank>& parent);

}  // namespace trunkline
