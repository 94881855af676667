// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/regions/height_bound.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "network/capacity.hpp"

namespace trunkline {
namespace {

using Level = std::uint32_t;

/// Levels 0 ... that so many ranks need when `first` of them get the message at level 0 and each serves k.
Level complete(std::uint64_t ranks, std::uint64_t first, unsigned k) {
  Level level = 0;
  for (std::uint64_t row = first, reached = first; reached < ranks; ++level) {
    row = std::min(row * k, ranks);
    reached += row;
  }
  return level;
}

/// Whether items with these deadlines, most urgent last, can all be served in time: `first` at level 0, then k for each
/// item of the level before.
bool in_time(const std::vector<Level>& needs, std::uint64_t singles, std::uint64_t first, unsigned k, Level levels) {
  std::uint64_t row = first;
  std::size_t part = 0;  // `needs` falls: the most urgent one comes first
  for (Level level = 0; level <= levels; ++level) {
    const std::uint64_t parts = std::min<std::uint64_t>(row, needs.size() - part);
    for (std::uint64_t i = 0; i < parts; ++i) {
      if (levels - level < needs[part + i]) return false;
    }
    part += parts;
    const std::uint64_t alone = std::min(row - parts, singles);
    singles -= alone;
    row = (parts + alone) * k;
    if (part == needs.size() && singles == 0) return true;
  }
  return false;
}

}  // namespace

std::uint32_t height_bound(const Regions& regions, unsigned k) {
  std::vector<Level> need(regions.all.size());
  std::vector<Level> parts;
  for (std::size_t at = regions.all.size(); at > 0; --at) {
    const Region& region = regions.all[at - 1];
    const std::uint64_t first = at == 1 ? 1 : k;
    parts.clear();
    for (const RegionId part : region.parts) parts.push_back(need[part]);
    std::ranges::sort(parts, std::greater{});
    Level& levels = need[at - 1];
    levels = complete(region.ranks, first, k);
    while (!in_time(parts, region.singles.size(), first, k, levels)) ++levels;
  }
  return need[0];
}

std::uint32_t height_bound(const Cluster& cluster, const Placement& placement, Rank root, unsigned k) {
  check_placement(cluster, placement, root);
  std::vector<std::uint32_t> capacities = capacities_of(cluster, placement);
  std::ranges::replace_if(
      capacities, [](std::uint32_t capacity) { return capacity > 1; }, std::numeric_limits<std::uint32_t>::max());
  return height_bound(regions_from(cluster, placement, root, capacities), k);
}

}  // namespace trunkline
