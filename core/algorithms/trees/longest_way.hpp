// SPDX-License-Identifier: Apache-2.0
// How far the last rank of a tree is from the root, over the links of the network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "network/cluster.hpp"
#include "network/paths.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

inline std::uint32_t highest(std::span<const Tree> trees) {
  std::uint32_t most = 0;
  for (const Tree& tree : trees) most = std::max(most, height(tree));
  return most;
}

/// Links that a segment crosses on its way from the root to a rank, at most, in any of the trees. Each costs its
/// latency and a frame that is stored. The placement fits the trees. Time O(nodes + ranks * log(nodes)).
[[nodiscard]] inline std::uint32_t longest_way(const Cluster& cluster, const Placement& placement,
                                               std::span<const Tree> trees) {
  const Paths paths(cluster);
  std::uint32_t longest = 0;
  for (const Tree& tree : trees) {
    std::vector<std::uint32_t> way(tree.size(), 0);
    for (const Rank rank : parents_first(tree)) {
      if (rank == tree.root) continue;
      const NodeId from = cluster.hosts()[placement[tree.parent[rank]]];
      const NodeId to = cluster.hosts()[placement[rank]];
      way[rank] = way[tree.parent[rank]] + paths.length(from, to, paths.meeting(from, to));
      longest = std::max(longest, way[rank]);
    }
  }
  return longest;
}

/// Whether trees are lower than others, and no way in them is longer: levels are not saved by crossing trunks more
/// often.
[[nodiscard]] inline bool are_lower(const Cluster& cluster, const Placement& placement, std::span<const Tree> trees,
                                    std::span<const Tree> others) {
  if (highest(trees) >= highest(others)) return false;
  return longest_way(cluster, placement, trees) <= longest_way(cluster, placement, others);
}

}  // namespace trunkline
