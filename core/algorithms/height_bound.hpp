// SPDX-License-Identifier: Apache-2.0
// How low a contention-free tree can be at all.
#pragma once

#include "plan/regions.hpp"

namespace trunkline {

/// A height that no contention-free tree of degree k goes below: that of a complete k-ary tree, or more where links
/// stand in the way. Counted as if every region were entered by k sends at once for the price of one, and served k
/// outer ranks from its first level on; but it is entered once, and must be so early enough for what lies within.
/// k of 2 or more. Time O(regions * height).
[[nodiscard]] std::uint32_t height_bound(const Regions& regions, unsigned k);

}  // namespace trunkline
