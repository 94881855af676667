// SPDX-License-Identifier: Apache-2.0
// The contention-free linear tree.
#pragma once

#include <vector>

#include "patterns/tree.hpp"

namespace trunkline {

/// The ranks from the root on in the order of Algorithm 1, as linear_tree() goes through them. One after another, and
/// round from the last to the first, they pass every channel once at most.
[[nodiscard]] std::vector<Rank> depth_first_order(const Cluster& cluster, const Placement& placement, Rank root);

/// Algorithm 1 of Patarasuk, Faraj, Yuan (2008): depth-first search over the switches from the root's switch; the
/// ranks of each host, the hosts of each switch, the switches in order of arrival. A host counts as the innermost
/// switch, so ranks that share one stand next to each other. No channel carries transfers of two senders.
/// Time O(ranks + nodes). Throws std::invalid_argument where `root` or a host of `placement` is out of range.
[[nodiscard]] Tree linear_tree(const Cluster& cluster, const Placement& placement, Rank root);

}  // namespace trunkline
