// SPDX-License-Identifier: Apache-2.0
// Times of pipelined trees from measured tables instead of stated rates.
#pragma once

#include "cluster/cluster.hpp"
#include "model/measurement.hpp"
#include "plan/tree.hpp"

namespace trunkline {

/// One tree on one network, with the tables that were measured there.
class MeasuredTree {
 public:
  /// Everything must outlive the object. Throws std::invalid_argument where `placement` and `tree` differ in length.
  MeasuredTree(const Measurement& measurement, const Cluster& cluster, const Placement& placement, const Tree& tree);

  /// Formulas 1 and 2 of Patarasuk, Faraj, Yuan (2008) for any ordered tree: the first segment needs L(m) + g(m) for
  /// each hop and g(m) for each send before; every further one needs, of the busiest rank, g(m) for each of its sends,
  /// or its processor's time where that is longer. Senders that share a channel share its rate.
  /// Time O(ranks). Both above zero.
  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const;

  /// The one of segment_sizes() that seconds() finds fastest.
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const;

 private:
  const Measurement& measurement_;
  const Tree& tree_;
  std::vector<Rank> order_;              ///< parents first
  std::vector<std::uint32_t> channels_;  ///< from the parent to each rank
  std::vector<std::uint32_t> sharing_;   ///< transfers on the busiest channel of the way from the parent
};

}  // namespace trunkline
