// SPDX-License-Identifier: Apache-2.0
// Earliest completing edge first (Bhat, Raghavendra, Prasanna: "Efficient Collective Communication in Distributed
// Heterogeneous Systems", 1999), with or without look-ahead. Steps O(E log E) where few edges wait long in the heap.
#pragma once

#include <span>

#include "patterns/tree.hpp"
#include "weighted_graph/graph.hpp"

namespace trunkline {

struct EarliestEdge {
  /// Adds to each edge the least Delta + w of an edge from its receiver to a host still without the message.
  bool looks_ahead = false;
  /// Site of each host: the first host of a site that gets the message passes it on to the others of its site, so that
  /// one message enters each. Empty: any host sends to any other. Hosts of a site reach each other within it.
  std::span<const Rank> sites{};
};

/// Hosts with the message take turns: the edge along which a message would arrive first is the next one of the tree,
/// and its sender is free for another after the injection. Labelled at the end, which never makes it slower. Throws
/// std::invalid_argument as check_reachable() does.
[[nodiscard]] Tree earliest_edge_tree(const WeightedGraph& graph, Rank root, const EarliestEdge& how);

}  // namespace trunkline
