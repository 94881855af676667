// SPDX-License-Identifier: Apache-2.0
#include "model/costs.hpp"

#include <stdexcept>

namespace trunkline {
namespace {

struct Seconds {
  std::uint64_t message_bytes;
  std::uint64_t segment_bytes;
  double operator()(const TreeCosts& costs) const { return tree_seconds(costs, message_bytes, segment_bytes); }
  double operator()(const RoundCosts& costs) const { return round_seconds(costs, message_bytes, segment_bytes); }
};

}  // namespace

Costs costs_of(const Cluster& cluster, const Placement& placement, const Plan& plan, Direction direction) {
  const Paths paths(cluster);
  if (const Trees* const trees = plan.trees()) return tree_costs(paths, placement, *trees, direction);
  if (direction != Direction::down) throw std::invalid_argument("rounds go one way: they are for broadcasts");
  return round_costs(paths, placement, *plan.rounds());
}

double seconds_of(const Costs& costs, std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  return std::visit(Seconds{message_bytes, segment_bytes}, costs);
}

std::uint64_t best_segment(const Costs& costs, std::uint64_t message_bytes) {
  return std::visit([&](const auto& one) { return best_segment(one, message_bytes); }, costs);
}

}  // namespace trunkline
