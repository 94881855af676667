// SPDX-License-Identifier: Apache-2.0
// Blocks of a scan: what comes is of lower ranks than all that this rank has.
#pragma once

#include <vector>

#include "datatype/operands.hpp"
#include "execute/rounds/blocks.hpp"

namespace trunkline::runtime {

class PrefixBlocks final : public Blocks {
 public:
  /// `excludes_own`: the result leaves this rank's operand out (MPI_Exscan), and where nothing comes there is none.
  /// Both others must outlive the object. Throws std::bad_alloc.
  PrefixBlocks(const Operands& operands, const BlockSchedule& schedule, bool excludes_own);

  [[nodiscard]] std::uint64_t count() const override { return begun_.size(); }
  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const override {
    return even_offset(operands_.count(), begun_.size(), block);
  }
  [[nodiscard]] std::uint64_t unit_bytes() const override { return operands_.element_bytes(); }
  [[nodiscard]] bool lie_apart() const override { return true; }
  [[nodiscard]] bool change() const override { return true; }
  [[nodiscard]] std::uint64_t piece_memory(std::uint64_t units) const override {
    return Operands::Slots::bytes(operands_, units);
  }
  void make_room(std::uint64_t receives, std::uint64_t sends, std::uint64_t units) override;
  [[nodiscard]] Chunk incoming(const BlockPiece& piece, std::uint64_t number) override { return slot(piece, number); }
  [[nodiscard]] Chunk outgoing(const BlockPiece& piece, std::uint64_t number) override;
  void arrived(const BlockPiece& piece, std::uint64_t number) override;
  void settle() override;
  void give_up(bool received, bool sent) noexcept override;

 private:
  [[nodiscard]] Chunk slot(const BlockPiece& piece, std::uint64_t number) const {
    return slots_.chunk(operands_, number % slot_count_, piece.units());
  }
  [[nodiscard]] Chunk own(const BlockPiece& piece) const { return operands_.own(piece.begin, piece.units()); }
  [[nodiscard]] Chunk result(const BlockPiece& piece) const { return operands_.result(piece.begin, piece.units()); }
  /// What is handed on.
  [[nodiscard]] Chunk sum(const BlockPiece& piece) const {
    return excludes_own_ ? sums_.part(operands_, piece.begin, piece.units()) : result(piece);
  }

  const Operands& operands_;
  bool excludes_own_;
  std::uint64_t sends_until_ = 0;     ///< the round behind the last one in which this rank sends
  std::vector<std::uint64_t> begun_;  ///< by block: where the pieces end that something has come of
  Operands::Slots sums_;
  Operands::Slots slots_;
  std::uint64_t slot_count_ = 0;
};

}  // namespace trunkline::runtime
