// SPDX-License-Identifier: Apache-2.0
// The tree that region timetables describe.
#pragma once

#include "algorithms/trees/regions/region_timetable.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

/// Contention-free by construction: each region is entered by one rank and left by one. Degree at most that of the
/// timetables, height least(0, 1). Time O(ranks + regions * levels).
[[nodiscard]] Tree timetable_tree(const RegionTimetables& timetables);

}  // namespace trunkline
