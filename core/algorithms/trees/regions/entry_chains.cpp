// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/regions/entry_chains.hpp"

#include <algorithm>

namespace trunkline {

Intervals::Intervals(const Regions& regions, const std::vector<Rank>& order)
    : first(regions.all.size(), static_cast<Place>(order.size())), last(regions.all.size(), 0) {
  for (Place at = 0; at < order.size(); ++at) {
    const RegionId region = regions.of_rank[order[at]];
    first[region] = std::min(first[region], at);
    last[region] = at;
  }
  for (std::size_t at = regions.all.size(); at > 1; --at) {
    const auto region = static_cast<RegionId>(at - 1);
    const RegionId outer = regions.all[region].parent;
    first[outer] = std::min(first[outer], first[region]);
    last[outer] = std::max(last[outer], last[region]);
  }
}

bool Intervals::in_a_row(const Regions& regions) const {
  for (RegionId region = 0; region < regions.all.size(); ++region) {
    if (last[region] - first[region] + 1 != regions.all[region].ranks) return false;
  }
  return true;
}

EntryChains::EntryChains(const Regions& regions, const std::vector<Rank>& order, const Intervals& intervals)
    : around(order.size()), next(order.size() + 1), jump(order.size() + 1) {
  const auto end = static_cast<Place>(order.size());
  std::vector<std::uint32_t> length(order.size() + 1, 0);  // places from here to the end
  next[end] = jump[end] = end;
  for (Place at = end; at-- > 0;) {
    RegionId region = regions.of_rank[order[at]];
    next[at] = at + 1;
    while (region != 0 && intervals.first[region] == at) {
      next[at] = intervals.last[region] + 1;
      region = regions.all[region].parent;
    }
    around[at] = region;
    const Place then = next[at];
    const Place further = jump[then];
    length[at] = length[then] + 1;
    const bool alike = length[then] - length[further] == length[further] - length[jump[further]];
    jump[at] = alike ? jump[further] : then;
  }
}

}  // namespace trunkline
