// SPDX-License-Identifier: Apache-2.0
// Swing (De Sensi, Bonato, Saam and Hoefler 2024): halving and doubling whose partners stand 1, 1, 3, 5, 11, ...
// numbers away, by turns on either side, instead of 1, 2, 4, 8, 16: a rival for comparison, made for rings and tori.
#pragma once

#include <vector>

#include "algorithms/rounds/pairwise.hpp"

namespace trunkline {

/// 2 T(m) in 2 log2(P) rounds, as halving and doubling.
class Swing final : public HalvingDoubling {
 public:
  /// Throws std::invalid_argument where `position` is not below `ranks`. O(ranks) in time and memory.
  Swing(Rank ranks, Rank position);
  [[nodiscard]] bool alike_in_groups(Rank size) const override { return size == 1; }

 private:
  [[nodiscard]] Rank partner(Rank number, std::uint64_t exchange) const override;
  [[nodiscard]] Blocks sent(Rank number, std::uint64_t exchange) const override;

  /// By number: along which exchanges a message gets there from number 0, in order. Numbers that share the first bits
  /// share their blocks up to there.
  std::vector<Rank> path_;
};

}  // namespace trunkline
