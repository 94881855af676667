// SPDX-License-Identifier: Apache-2.0
#include "model/native/exchanges.hpp"

#include <algorithm>

namespace trunkline {

std::vector<RoundCost> exchange_costs(const Paths& paths, const Placement& placement,
                                      std::span<const Exchange> exchanges) {
  const std::vector<Rank> order = by_number(static_cast<Rank>(placement.size()), 0);
  TimedRound round(paths, placement, order);
  std::vector<RoundCost> costs;
  for (const Exchange& exchange : exchanges) {
    for (const auto& [from, to] : exchange.transfers) {
      round.transfer(from, to, exchange.part, exchange.reducing * exchange.part);
    }
    if (!exchange.transfers.empty()) round.finish(costs.emplace_back(), exchange.times);
  }
  return costs;
}

RoundCost exchange_cost(const Paths& paths, const Placement& placement, std::span<const Exchange> exchanges) {
  RoundCost all;
  for (const RoundCost& one : exchange_costs(paths, placement, exchanges)) all += one;
  return all;
}

RoundCost level_cost(const Paths& paths, const Placement& placement, const Tree& tree, bool reduces) {
  const std::vector<Rank> order = by_number(static_cast<Rank>(tree.size()), 0);
  TimedRound round(paths, placement, order);
  RoundCost cost;
  for (std::vector<Rank> level{tree.root}, next; !level.empty(); level = std::exchange(next, {})) {
    for (const Rank rank : level) {
      for (const Rank child : tree.children[rank]) {
        const auto beside = [&](Rank other) {
          return (placement[other] == placement[rank]) == (placement[child] == placement[rank]);
        };
        const auto combined = reduces ? static_cast<double>(std::ranges::count_if(tree.children[rank], beside)) : 0.0;
        round.transfer(rank, child, 1.0, combined);
        next.push_back(child);
      }
    }
    if (!next.empty()) round.finish(cost);
  }
  return cost;
}

}  // namespace trunkline
