// SPDX-License-Identifier: Apache-2.0
// Leaf-spine networks and fat trees whose switches use all equal-cost paths, as trees of bundles.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "network/cluster.hpp"

namespace trunkline {

struct Bundles {
  Cluster::Parts parts;  ///< after the merges
  std::vector<MergedSwitches> merged;
  /// Of each link that there was: the channel that leads as it does from a to b; none: it is inside a group.
  std::vector<std::optional<ChannelId>> channel_of;
};

/// Merges switches without hosts that stand for each other: the fewest groups such that all switches of a group have
/// links of the same widths, rates and latencies to each other group and to each switch with hosts (the coarsest
/// equitable partition, found by refinement as in Hopcroft, 1971). So the spines of a leaf-spine become one, and of a
/// fat tree the aggregation switches of each pod, and the cores. Links of one rate and latency between two groups
/// become one, as wide as all of them; links inside a group vanish, since no shortest path crosses them. Every shortest
/// path between hosts keeps its length, and what flows that are spread evenly can carry stays the same. Links of other
/// rates or latencies remain, for the spanning tree to choose among.
///
/// A group is named after its first switch: `spine-1+3` are four. The parts must be sound. Time O(links * log(nodes)).
[[nodiscard]] Bundles bundle_equal_cost_paths(const Cluster::Parts& parts);

}  // namespace trunkline
