// SPDX-License-Identifier: Apache-2.0
// Contention-free binary and k-ary trees of small height.
#pragma once

#include "patterns/tree.hpp"

namespace trunkline {

/// The lowest of three contention-free trees of degree at most k: Algorithm 2 over the order of Algorithm 1
/// (interval_tree.hpp), the tree of region timetables (region_timetable.hpp), and Algorithm 2 over that tree's own
/// order; and the same where trunks have room for several senders (network/capacity.hpp), if that is lower. So never
/// higher than Algorithm 2. Each rank sends first where most levels follow. Throws std::invalid_argument where `root`
/// or a host of `placement` is out of range, or k is below 1; k = 1 is the line of Algorithm 1.
[[nodiscard]] Tree k_ary_tree(const Cluster& cluster, const Placement& placement, Rank root, unsigned k);

/// Plain Algorithm 2, for comparison. Throws as above, and std::length_error where it needs too much memory.
[[nodiscard]] Tree algorithm_2_tree(const Cluster& cluster, const Placement& placement, Rank root, unsigned k);

}  // namespace trunkline
