// SPDX-License-Identifier: Apache-2.0
// Which hosts of a weighted graph are near each other.
#pragma once

#include <vector>

#include "weighted_graph/graph.hpp"

namespace trunkline {

/// Sites differ by this factor at least: what takes less than three times as long is not far.
inline constexpr double least_gap_of_sites = 3.0;

/// The site of each vertex, numbered by the first vertex of each. Pairs with edges both ways are joined, the shortest
/// Delta + w of the slower way first, until the next join would be longer than the one before by the largest factor of
/// all, where that is `least_gap_of_sites` or more; where none is, all that is joined is one site. So the vertices of a
/// site reach each other within it. Joins that take no time are near. Time O(E log E).
[[nodiscard]] std::vector<Rank> sites_of(const WeightedGraph& graph);

}  // namespace trunkline
