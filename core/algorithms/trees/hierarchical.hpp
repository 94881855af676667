// SPDX-License-Identifier: Apache-2.0
// Trees of two storeys: a subtree among the ranks of each host, and one among the hosts. docs/hierarchical-plans.md
// says how they follow from the trees of Bongo, Anshus and Bjorndalen (2004), whose inner nodes are no ranks.
#pragma once

#include "network/placement.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

/// As many contributors as there are: one level.
inline constexpr unsigned any_fan_in = 0;
/// All levels of the subtree among hosts.
inline constexpr unsigned all_levels = 0xFFFFFFFFU;

/// What a hierarchical tree looks like. A contributor is a rank or a host, the one that combines counted in.
struct Hierarchy {
  unsigned host_fan_in = any_fan_in;  ///< most contributors to a node of a host subtree; any_fan_in: flat
  unsigned root_fan_in = any_fan_in;  ///< the same of the subtree among hosts, the cluster-root subtree
  unsigned split_levels = 0;          ///< levels of it, from the hosts on, that are on other hosts than the root's
};

/// Ranks of a host form a k-nomial tree below its first rank, or below the root; those first ranks send to the
/// root's host. There its ranks take hosts in groups of `root_fan_in`, in order, and combine them along the
/// host's own subtree; where it has fewer ranks than groups, groups are larger. With split levels, the first host of
/// each group combines the group, level by level, before anything is sent to the root's host. Children are in the order
/// of order_children(). Cost about (F + N) T(m): F the fan-ins on the way to the root added up, N the messages
/// that the busiest port takes in.
/// Throws std::invalid_argument where `root` is no rank of `placement`, or a fan-in is 1.
[[nodiscard]] Tree hierarchical_tree(const Placement& placement, Rank root, const Hierarchy& hierarchy);

/// Sends over the network first, then where most transfers still follow, then by number.
void order_children(Tree& tree, const Placement& placement);

}  // namespace trunkline
