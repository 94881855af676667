// SPDX-License-Identifier: Apache-2.0
// Times of broadcasts that go by rounds instead of down a tree.
#pragma once

#include <cstdint>
#include <span>

#include "network/cluster.hpp"
#include "network/placement.hpp"
#include "plan/tree.hpp"

namespace trunkline {

inline constexpr double message_software_s = 20e-6;  ///< a message through both MPI libraries and both kernels

/// Time of an algorithm in rounds, linear in the message: a round takes as long as its busiest channel.
struct RoundCost {
  double rounds = 0.0;
  double seconds_per_byte = 0.0;  ///< sum over the rounds of the busiest channel's load over its rate
  double latency_s = 0.0;         ///< sum over the rounds of the longest path's
  double frame_byte_s = 0.0;      ///< the same for each byte of a frame that is stored on that path

  /// Seconds for a message of that many bytes in transfers of `transfer_bytes`, both above zero.
  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t transfer_bytes) const;
};

// Each adds up the loads of every kind of round, the ranks standing in `order` with the root first.
// Time O(ranks * log(ranks) * length of a path).

/// Scatter down a binomial tree, then recursive doubling: ScatterDoubling, but for what a rank holds already.
[[nodiscard]] RoundCost scatter_doubling_cost(const Cluster& cluster, const Placement& placement,
                                              std::span<const Rank> order);

/// Scatter, then a ring: ScatterRing, likewise.
[[nodiscard]] RoundCost scatter_ring_cost(const Cluster& cluster, const Placement& placement,
                                          std::span<const Rank> order);

/// One round of each skip of Circulant, in which everybody sends the whole message to somebody.
[[nodiscard]] RoundCost circulant_cost(const Cluster& cluster, const Placement& placement, std::span<const Rank> order);

/// A tree in which every rank sends the whole message to all its children at once, so that the copies share its
/// channels and end together: one round of each level.
[[nodiscard]] RoundCost level_cost(const Cluster& cluster, const Placement& placement, const Tree& tree);

}  // namespace trunkline
