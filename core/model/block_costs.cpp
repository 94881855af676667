// SPDX-License-Identifier: Apache-2.0
#include "model/block_costs.hpp"

#include <algorithm>
#include <vector>

#include "algorithms/blocks.hpp"
#include "model/tree_costs.hpp"
#include "model/wire.hpp"

namespace trunkline {

BlockCosts block_costs(const Algorithm& algorithm, const Cluster& cluster, const Placement& placement, Rank root) {
  check_placement(cluster, placement, root);
  const std::vector<Rank> order = rank_order(algorithm, &cluster, placement, root);
  const auto cost = algorithm.kind == AlgorithmKind::scatter_ring       ? scatter_ring_cost
                    : algorithm.kind == AlgorithmKind::scatter_doubling ? scatter_doubling_cost
                                                                        : circulant_cost;
  return {
      .kind = algorithm.kind, .ranks = static_cast<Rank>(placement.size()), .rounds = cost(cluster, placement, order)};
}

double block_seconds(const BlockCosts& costs, std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  const RoundCost& rounds = costs.rounds;
  if (rounds.rounds == 0.0) return 0.0;
  const std::uint64_t segments = pieces_of(message_bytes, std::min(segment_bytes, message_bytes));
  if (costs.kind == AlgorithmKind::circulant) {
    const double times = (static_cast<double>(segments) - 1.0 + rounds.rounds) / rounds.rounds;
    const std::uint64_t block = pieces_of(message_bytes, segments);
    return times * rounds.seconds(block, block);
  }
  // Blocks are sent in pieces; each has its headers, and passes through the software.
  return rounds.seconds(message_bytes, std::min(segment_bytes, pieces_of(message_bytes, costs.ranks)));
}

std::uint64_t best_segment(const BlockCosts& costs, std::uint64_t message_bytes) {
  const auto candidates = segment_sizes();
  if (costs.rounds.seconds_per_byte == 0.0) return candidates.back();
  return *std::ranges::min_element(candidates, {},
                                   [&](std::uint64_t segment) { return block_seconds(costs, message_bytes, segment); });
}

}  // namespace trunkline
