// SPDX-License-Identifier: Apache-2.0
// How low a contention-free tree can be at all.
#pragma once

#include "network/regions.hpp"

namespace trunkline {

/// A height that no tree of degree k goes below that enters each region once and leaves it from one rank: that of a
/// complete k-ary tree, or more where links stand in the way. Counted as if every region were entered by k sends at
/// once for the price of one, and served k outer ranks from its first level on; but it is entered once, and must be so
/// early enough for what lies within. k of 2 or more. Time O(regions * height).
[[nodiscard]] std::uint32_t height_bound(const Regions& regions, unsigned k);

/// The same of any tree that loads no channel beyond its capacity, as if those with room for two had room for all.
/// Throws std::invalid_argument where `root` or a host of `placement` is out of range.
[[nodiscard]] std::uint32_t height_bound(const Cluster& cluster, const Placement& placement, Rank root, unsigned k);

}  // namespace trunkline
