// SPDX-License-Identifier: Apache-2.0
// The order in which each host of a tree sends: the second stage of the paper's method (section 3, figure 3).
#pragma once

#include <vector>

#include "weighted_graph/schedule.hpp"

namespace trunkline {

/// Orders each rank's children by falling label + w, so that what takes longest leaves first, and returns the labels:
/// seconds from the moment a rank has the message until all below it have it. That of the root is broadcast_s(), and no
/// other order of the same tree's sends is faster: for each sender this is one machine with delivery times, where the
/// longest delivery first is best whatever each job takes (Jackson, 1955), and its label alone reaches its parent.
/// Equal ones keep their order. Throws as edges_of_tree() does. Time O(V log V), without recursion.
std::vector<double> label(const WeightedGraph& graph, Tree& tree);

}  // namespace trunkline
