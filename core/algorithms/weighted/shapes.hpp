// SPDX-License-Identifier: Apache-2.0
// The one list of shapes over weighted graphs. All shapes are labelled (weighted_graph/schedule.hpp), and throw
// std::invalid_argument as check_reachable() does.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "patterns/tree.hpp"
#include "weighted_graph/graph.hpp"

namespace trunkline {

struct WeightedShape {
  std::string_view name;
  std::string_view description;  ///< one line
  Tree (*lay)(const WeightedGraph& graph, Rank root);
};

/// `optimum`, for small graphs alone, is the last one.
[[nodiscard]] std::span<const WeightedShape> weighted_shapes();

/// Throws std::invalid_argument where there is none of that name.
[[nodiscard]] const WeightedShape& weighted_shape(std::string_view name);

/// Exactly as printed: a vertex that leaves the queue offers each neighbour in the queue, by rising number, its own
/// distance + Delta + w. A neighbour whose distance that lowers becomes its child, and the vertex' own distance grows
/// by Delta at once. The paper charges it for good: a child that finds a better parent later leaves its first one
/// charged. wave_mended_tree() does not.
[[nodiscard]] Tree wave_tree(const WeightedGraph& graph, Rank root);

/// As wave_tree(), but where a vertex leaves its parent for a better one, the children that were to be served after it
/// come one injection earlier, as far as they are still in the queue, and may keep their parent for that.
[[nodiscard]] Tree wave_mended_tree(const WeightedGraph& graph, Rank root);

/// The tree of shortest paths by Delta + w, each edge as if it were its sender's only one.
[[nodiscard]] Tree shortest_paths_tree(const WeightedGraph& graph, Rank root);

/// The next receiver is the host that can be reached and takes least to inject its own messages (the mean over its
/// edges), since it helps soonest; it gets the message from the host that would have it there first.
[[nodiscard]] Tree fastest_node_tree(const WeightedGraph& graph, Rank root);

/// The search ends once the trees that it tried had that many hosts in all: two to three seconds.
inline constexpr std::size_t most_hosts_tried = 4'000'000;

/// Moves subtrees and swaps hosts as long as that makes the broadcast faster, or as fast with less to wait for all
/// hosts together; from each of `starts`, and goes on from the fastest one with a few subtrees moved at random, a
/// hundred times, always in the same way; no further once most_hosts_tried is reached. Each start must have passed
/// check_tree(). Throws std::invalid_argument where there is none, or a start uses an edge that is not there.
[[nodiscard]] Tree improved_tree(const WeightedGraph& graph, const std::vector<Tree>& starts);

/// improved_tree() of all other shapes but the optimum.
[[nodiscard]] Tree local_search_tree(const WeightedGraph& graph, Rank root);

/// Vertices up to which an optimum takes no more than seconds and some tens of megabytes.
inline constexpr Rank most_for_optimum = 14;

/// No tree and no order of sends is faster, and no host gains by waiting. A host with the message and a set of others
/// to serve sends first to some v, which serves a part of the set, while the host serves the rest:
///   f(u, S) = min over v in A, A a part of S, of Delta(u, v) + max(w(u, v) + f(v, A - v), f(u, S - A)).
/// Throws std::invalid_argument where there are more vertices.
[[nodiscard]] Tree optimal_tree(const WeightedGraph& graph, Rank root);

struct EarliestEdge {
  /// Adds to each edge the least Delta + w of an edge from its receiver to a host still without the message.
  bool looks_ahead = false;
  /// Site of each host: the first host of a site that gets the message passes it on to the others of its site, so that
  /// one message enters each. Empty: any host sends to any other. Hosts of a site reach each other within it.
  std::span<const Rank> sites{};
};

/// Hosts with the message take turns: the edge along which a message would arrive first is the next one of the tree,
/// and its sender is free for another after the injection. Labelled at the end, which never makes it slower.
[[nodiscard]] Tree earliest_edge_tree(const WeightedGraph& graph, Rank root, const EarliestEdge& how);

/// Sites are sites_of(). MagPIe's root sends to one host of each site, which passes the message on along a binomial
/// tree; here any host that has it may send to another site, and the earliest completing edge is always next: long ways
/// leave first.
[[nodiscard]] Tree by_sites_tree(const WeightedGraph& graph, Rank root);

}  // namespace trunkline
