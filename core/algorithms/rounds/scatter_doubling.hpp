// SPDX-License-Identifier: Apache-2.0
// Scatter, then what each rank has doubles from round to round.
#pragma once

#include <bit>
#include <vector>

#include "algorithms/rounds/scatter.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline {

/// Recursive doubling on any number of ranks: the positions are halved until one is left, the first half larger by one
/// where they are odd; then, from the innermost halves outwards, the i-th ranks of both halves exchange all that
/// their halves have. The one rank that an odd number leaves over gets the other half a round later from its last
/// rank. What a rank holds from the scatter is not sent to it again. One block for each rank; up to 3 log2(ranks)
/// rounds, of which a third are for those left over. Time and space O(log(ranks)).
class ScatterDoubling final : public BlockSchedule {
 public:
  /// Throws std::invalid_argument where `position` is not below `ranks`.
  ScatterDoubling(Rank ranks, Rank position);

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return scatter_.ranks(); }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t blocks) const override;
  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t blocks) const override;
  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t blocks) const override;
  /// Of a power of two ranks, all halves are even.
  [[nodiscard]] bool sends_in_rows() const override { return std::has_single_bit(scatter_.ranks()); }
  [[nodiscard]] std::vector<RowOfSends> rows_sent(std::uint64_t round, std::uint64_t blocks) const override;

 private:
  /// Positions [begin, end) and where their second half begins.
  struct Group {
    Rank begin;
    Rank middle;
    Rank end;
  };

  void exchange(const Group& group, std::uint64_t round);
  void give(Rank to, const Group& group, std::uint64_t round, std::uint64_t needs);
  void take(Rank from, Rank first, Rank end, std::uint64_t round);

  Scatter scatter_;
  std::vector<std::optional<BlockTransfer>> sends_;  ///< by round
  std::vector<std::optional<BlockTransfer>> receives_;
  std::uint64_t latest_;  ///< round of the last receive so far, while they are laid
};

}  // namespace trunkline
