// SPDX-License-Identifier: Apache-2.0
// The first half of scatter + allgather: the blocks go down a binomial tree over positions, one block a rank.
#pragma once

#include <cstdint>
#include <optional>

#include "patterns/block_schedule.hpp"

namespace trunkline {

/// The scatter as one rank sees it. In round i ranks that are 2^(rounds - 1 - i) apart talk: the receiver gets the
/// blocks of its whole subtree, which is all that it ever needs to hand on here.
class Scatter {
 public:
  /// Throws std::invalid_argument where `position` is not below `ranks`.
  Scatter(Rank ranks, Rank position);

  [[nodiscard]] Rank ranks() const noexcept { return ranks_; }
  [[nodiscard]] Rank position() const noexcept { return position_; }
  [[nodiscard]] std::uint64_t round_count() const noexcept { return rounds_; }

  /// Blocks that a rank holds after the scatter: from its own one on, in a row.
  [[nodiscard]] Rank held_by(Rank position) const;

  /// The round in which this rank gets its blocks; no_round: the root.
  [[nodiscard]] std::uint64_t received_in() const;

  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round) const;
  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round) const;

 private:
  [[nodiscard]] Rank distance(std::uint64_t round) const { return Rank{1} << (rounds_ - 1 - round); }

  Rank ranks_;
  Rank position_;
  std::uint64_t rounds_;  ///< log2(ranks), rounded up
};

}  // namespace trunkline
