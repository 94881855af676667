// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/nested_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "algorithms/rounds/generators.hpp"
#include "network/paths.hpp"

namespace trunkline {
namespace {

/// Channels between each rank of the order and the next one, and from the last one to nowhere.
std::vector<std::uint32_t> lengths_in_order(const Cluster& cluster, const Placement& placement,
                                            std::span<const Rank> order) {
  const Paths paths(cluster);
  std::vector<std::uint32_t> lengths;
  lengths.reserve(order.size());
  for (std::size_t i = 1; i < order.size(); ++i) {
    const NodeId from = cluster.hosts()[placement[order[i - 1]]];
    const NodeId to = cluster.hosts()[placement[order[i]]];
    lengths.push_back(paths.length(from, to, paths.meeting(from, to)));
  }
  return lengths;
}

/// The greatest common divisor of the lengths of all runs that no longer way than this cuts.
Rank group_within(std::span<const std::uint32_t> lengths, std::uint32_t within) {
  Rank group = 0;
  Rank run = 1;
  for (const std::uint32_t length : lengths) {
    if (length <= within) {
      ++run;
      continue;
    }
    group = std::gcd(group, run);
    run = 1;
  }
  return std::gcd(group, run);
}

}  // namespace

NestedGroups nested_groups(const Cluster& cluster, const Placement& placement, std::span<const Rank> order) {
  const std::vector<std::uint32_t> lengths = lengths_in_order(cluster, placement, order);
  NestedGroups groups{.of_hosts = group_within(lengths, 0)};
  std::vector<std::uint32_t> ways = lengths;
  std::ranges::sort(ways);
  ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
  Rank inner = 1;
  for (const std::uint32_t way : ways) {
    const Rank group = group_within(lengths, way);
    if (group == inner || group == order.size()) continue;
    groups.levels.push_back(group / inner);
    inner = group;
    if (groups.levels.size() == most_levels) break;
  }
  return groups;
}

}  // namespace trunkline
