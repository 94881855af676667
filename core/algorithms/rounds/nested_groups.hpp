// SPDX-License-Identifier: Apache-2.0
// Groups of as many ranks each that lie within hosts, within switches, and so on: what exchanges within groups go by.
#pragma once

#include <span>
#include <vector>

#include "network/cluster.hpp"
#include "network/placement.hpp"

namespace trunkline {

struct NestedGroups {
  Rank of_hosts = 1;  ///< ranks in a row that share a host: the most that every host makes whole groups of
  /// Groups in a row at each level, innermost first, the whole left out: with 16 ranks on each of six hosts on each of
  /// four switches 16 and 6. A level that is the same as the one within it is left out.
  std::vector<Rank> levels{};
};

/// Of ranks in the order of a depth-first search. A level is what a number of channels joins: none within a host, two
/// within a switch. Where its groups differ in size, it is their greatest common divisor. Time O(ranks * length of a
/// path).
[[nodiscard]] NestedGroups nested_groups(const Cluster& cluster, const Placement& placement,
                                         std::span<const Rank> order);

}  // namespace trunkline
