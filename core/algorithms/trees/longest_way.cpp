// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/longest_way.hpp"

#include <algorithm>
#include <vector>

#include "network/paths.hpp"

namespace trunkline {
namespace {

std::uint32_t highest(std::span<const Tree> trees) {
  std::uint32_t most = 0;
  for (const Tree& tree : trees) most = std::max(most, height(tree));
  return most;
}

}  // namespace

std::uint32_t longest_way(const Cluster& cluster, const Placement& placement, std::span<const Tree> trees) {
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

bool are_lower(const Cluster& cluster, const Placement& placement, std::span<const Tree> trees,
               std::span<const Tree> others) {
  if (highest(trees) >= highest(others)) return false;
  return longest_way(cluster, placement, trees) <= longest_way(cluster, placement, others);
}

}  // namespace trunkline
