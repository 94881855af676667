// SPDX-License-Identifier: Apache-2.0
// What a broadcast by blocks costs, from the cluster's stated rates: what tree_costs.hpp is to trees.
#pragma once

#include <cstdint>

#include "algorithms/registry.hpp"
#include "model/round_cost.hpp"
#include "network/cluster.hpp"

namespace trunkline {

/// The time as a function of the segment: what does not depend on it, taken once and kept.
struct BlockCosts {
  AlgorithmKind kind = AlgorithmKind::circulant;
  Rank ranks = 0;
  RoundCost rounds;  ///< of a circulant one round of each skip, in which everybody sends the whole message
};

/// Throws std::invalid_argument where the algorithm does not go by blocks.
[[nodiscard]] BlockCosts block_costs(const Algorithm& algorithm, const Cluster& cluster, const Placement& placement,
                                     Rank root);

/// Seconds of a broadcast of `message_bytes` in segments of `segment_bytes`, both above zero: of a circulant the
/// blocks, of the others the pieces in which blocks are sent. Rounds do not overlap, so it is an upper bound where
/// no rank waits long.
[[nodiscard]] double block_seconds(const BlockCosts& costs, std::uint64_t message_bytes, std::uint64_t segment_bytes);

/// The one of segment_sizes() that block_seconds() finds fastest; the longest where all ranks share one host.
[[nodiscard]] std::uint64_t best_segment(const BlockCosts& costs, std::uint64_t message_bytes);

}  // namespace trunkline
