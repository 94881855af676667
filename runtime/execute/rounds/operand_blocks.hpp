// SPDX-License-Identifier: Apache-2.0
// Blocks of a reduction: whole elements, summed up in the place of the result, or in memory of their own where a rank
// has none.
#pragma once

#include <vector>

#include "datatype/operands.hpp"
#include "execute/rounds/blocks.hpp"

namespace trunkline::runtime {

class OperandBlocks final : public Blocks {
 public:
  /// `own`: this rank's position. Both others must outlive the object. Throws MpiError.
  OperandBlocks(const Operands& operands, const BlockSchedule& schedule, Rank own);

  [[nodiscard]] std::uint64_t count() const override { return first_touch_.size(); }
  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const override {
    return even_offset(operands_.count(), first_touch_.size(), block);
  }
  [[nodiscard]] std::uint64_t unit_bytes() const override { return operands_.element_bytes(); }
  [[nodiscard]] bool change() const override { return true; }
  [[nodiscard]] std::uint64_t piece_memory(std::uint64_t units) const override {
    return Operands::Slots::bytes(operands_, units);
  }
  void make_room(std::uint64_t receives, std::uint64_t sends, std::uint64_t units) override;
  [[nodiscard]] Chunk incoming(const BlockPiece& piece, std::uint64_t number) override;
  [[nodiscard]] Chunk outgoing(const BlockPiece& piece, std::uint64_t number) override;
  void arrived(const BlockPiece& piece, std::uint64_t number) override;
  void give_up(bool received, bool sent) noexcept override;

 private:
  [[nodiscard]] bool is_first(const BlockPiece& piece) const { return first_touch_[piece.block] == piece.round; }
  [[nodiscard]] Chunk result(std::uint64_t first, std::uint64_t elements) const;
  [[nodiscard]] Chunk result(const BlockPiece& piece) const { return result(piece.begin, piece.units()); }
  [[nodiscard]] Chunk slot(const BlockPiece& piece, std::uint64_t number) const;

  const Operands& operands_;
  Rank own_;
  bool sums_once_;
  /// By block: the round whose piece is the first in the result's place; until then this rank's operand lies apart.
  /// no_round: none yet.
  std::vector<std::uint64_t> first_touch_;
  Operands::Slots slots_;
  Operands::Slots whole_;  ///< where the sums lie that are no rank's result
  std::uint64_t slot_count_ = 0;
};

}  // namespace trunkline::runtime
