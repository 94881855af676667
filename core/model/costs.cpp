// SPDX-License-Identifier: Apache-2.0
#include "model/costs.hpp"

#include <stdexcept>
#include <string>

namespace trunkline {
namespace {

struct Seconds {
  std::uint64_t message_bytes;
  std::uint64_t segment_bytes;
  double operator()(const TreeCosts& costs) const { return tree_seconds(costs, message_bytes, segment_bytes); }
  double operator()(const RoundCosts& costs) const { return round_seconds(costs, message_bytes, segment_bytes); }
};

}  // namespace

Costs costs_of(const Cluster& cluster, const Placement& placement, const Plan& plan, Collective collective,
               const HostCosts& hosts) {
  const Paths paths(cluster);
  const Trees* const trees = plan.trees();
  if (trees == nullptr) return round_costs(paths, placement, *plan.rounds(), hosts);
  const CollectiveFacts& facts = facts_of(collective);
  if (!facts.direction) throw std::invalid_argument("trees do not serve " + std::string(facts.name));
  return tree_costs(paths, placement, *trees, *facts.direction, hosts);
}

double seconds_of(const Costs& costs, std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  return std::visit(Seconds{message_bytes, segment_bytes}, costs);
}

std::uint64_t best_segment(const Costs& costs, std::uint64_t message_bytes) {
  return std::visit([&](const auto& one) { return best_segment(one, message_bytes); }, costs);
}

TimedSegment fastest_segment(const Costs& costs, std::uint64_t message_bytes, const Cuts& cuts) {
  if (const auto* const trees = std::get_if<TreeCosts>(&costs)) return fastest_segment(*trees, cuts);
  const auto& rounds = std::get<RoundCosts>(costs);
  const std::uint64_t segment = best_segment(rounds, message_bytes);
  return {.segment_bytes = segment, .seconds = round_seconds(rounds, message_bytes, segment)};
}

}  // namespace trunkline
