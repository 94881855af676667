// SPDX-License-Identifier: Apache-2.0
// Times of pipelined trees from measured tables instead of stated rates.
#pragma once

#include <vector>

#include "model/measured/measurement.hpp"
#include "network/cluster.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

/// A tree, or several that take segments by turns, on a network with the tables that were measured there.
class MeasuredTrees {
 public:
  /// `measurement` must outlive the object. Throws std::invalid_argument without a tree, or where `placement` and a
  /// tree differ in length.
  MeasuredTrees(const Measurement& measurement, const Cluster& cluster, const Placement& placement,
                std::vector<Tree> trees);

  /// Formulas 1 and 2 of Patarasuk, Faraj, Yuan (2008) for any ordered trees: the first segment needs L(m) + g(m) for
  /// each hop and g(m) for each send before; every further one needs, of the busiest rank, g(m) for each of its sends,
  /// or its processor's time where that is longer. Senders of one tree that share a channel share its rate. No
  /// segment is less apart from the next than on a relay of all ranks, where one was measured.
  /// Time O(ranks). Both above zero.
  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const;

  /// The one of segment_sizes() that seconds() finds fastest.
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const;

 private:
  struct Laid {
    Tree tree;
    std::vector<Rank> order;              ///< parents first
    std::vector<std::uint32_t> channels;  ///< from the parent to each rank
    std::vector<double> sharing;          ///< transfers on the busiest link of the way from the parent, spread evenly
  };
  [[nodiscard]] static Laid laid(const Cluster& cluster, const Placement& placement, Tree tree);

  const Measurement& measurement_;
  std::vector<Laid> trees_;
};

}  // namespace trunkline
