// SPDX-License-Identifier: Apache-2.0
// Allreduce by exchanges within groups, for numbers of ranks that are no power of two: Rabenseifner's (2004) where they
// are. Its groups of two become groups of as many as each prime factor of the number of ranks, smallest first, so that
// no rank stands back and no byte goes twice.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "patterns/block_schedule.hpp"

namespace trunkline {

/// In a group of F each rank keeps one of F parts of what it has, and sends each of the others theirs, one after the
/// other: F - 1 rounds. In depth-first order over the switches the first groups, whose parts are the longest, are
/// neighbours: ranks of one host. Then the parts are gathered the other way. 2 (P - 1) / P T(m).
class MixedRadix final : public TwoSided {
 public:
  /// Positions in a row are nested in groups: of levels[0], of levels[0] * levels[1], and so on, the rest in one of
  /// what they leave. Each level has its own prime factors, so that groups lie within one and not across two. None:
  /// one level. Throws std::invalid_argument where they do not divide `ranks`, or `position` is not below `ranks`.
  MixedRadix(std::span<const Rank> levels, Rank ranks, Rank position);

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return ranks_; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t blocks) const override;
  /// A group of the first stages: the exchanges of the others are between those at the same place.
  [[nodiscard]] bool alike_in_groups(Rank size) const override;
  /// The one that this position has summed up halfway.
  [[nodiscard]] std::uint64_t kept_block() const { return kept_block_; }

 private:
  /// Of one factor, while parts are summed up.
  struct Stage {
    Rank factor = 0;
    Rank stride = 0;          ///< between neighbours of a group
    std::uint64_t part = 0;   ///< blocks of each
    std::uint64_t first = 0;  ///< block of all parts together, at this position
    std::uint64_t round = 0;
  };
  /// Where a round is.
  struct Turn {
    const Stage* stage;
    std::uint64_t begin;  ///< the stage's first round, there or back
    Rank step;            ///< from 1 on: how far away in the group one sends
    bool reduces;
  };

  void add_stages(Rank level);
  [[nodiscard]] Turn turn(std::uint64_t round) const;
  [[nodiscard]] std::optional<BlockTransfer> transfer(std::uint64_t round, std::uint64_t blocks,
                                                      bool sends) const override;

  Rank ranks_;
  Rank position_;
  std::vector<Stage> stages_;
  std::uint64_t half_ = 0;  ///< rounds until all is summed up
  std::uint64_t kept_block_ = 0;
};

/// How many groups of `size` ranks these make. Throws std::invalid_argument where some would be left over.
[[nodiscard]] Rank groups_of(Rank size, Rank ranks);

/// Of a number above zero, the smallest first.
[[nodiscard]] std::vector<Rank> prime_factors(Rank number);

/// Of a number above zero; 1 has none: 1.
[[nodiscard]] Rank largest_prime_factor(Rank number);

}  // namespace trunkline
