// SPDX-License-Identifier: Apache-2.0
// Blocks of a reduce-scatter: sums that pass through a rank on their way. A rank adds its operand to each and hands it
// on; its own block stays. So in a ring it takes room for one block and a window, however long all of them are; else
// for as many as wait there at once.
#pragma once

#include <span>
#include <vector>

#include "datatype/operands.hpp"
#include "execute/rounds/blocks.hpp"

namespace trunkline::runtime {

class RelayedBlocks final : public Blocks {
 public:
  /// `counts`: elements of each rank's share, by rank of the communicator; `members`: those ranks by position; `own`:
  /// this one's position. The operands' result is this rank's own share. `schedule` hands blocks on one at a time, in
  /// the order they came. All must outlive the object.
  RelayedBlocks(const Operands& operands, std::span<const MPI_Count> counts, std::span<const Rank> members,
                const BlockSchedule& schedule, Rank own);

  [[nodiscard]] std::uint64_t count() const override { return members_.size(); }
  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const override { return offsets_[block]; }
  [[nodiscard]] std::uint64_t unit_bytes() const override { return operands_.element_bytes(); }
  [[nodiscard]] bool lie_apart() const override { return true; }
  [[nodiscard]] std::optional<std::uint64_t> send_before(const BlockPiece& piece, std::uint64_t receive) const override;
  [[nodiscard]] std::uint64_t piece_memory(std::uint64_t units) const override {
    return Operands::Slots::bytes(operands_, units);
  }
  void make_room(std::uint64_t receives, std::uint64_t sends, std::uint64_t units) override;
  [[nodiscard]] Chunk incoming(const BlockPiece& piece, std::uint64_t number) override;
  [[nodiscard]] Chunk outgoing(const BlockPiece& piece, std::uint64_t number) override;
  void arrived(const BlockPiece& piece, std::uint64_t number) override;
  void give_up(bool received, bool sent) noexcept override;

  /// Where the operand lies in the result's place, that can be overwritten only now.
  void settle() override;

 private:
  [[nodiscard]] bool stays(const BlockPiece& piece) const { return piece.block == own_; }
  [[nodiscard]] std::uint64_t within(const BlockPiece& piece) const { return piece.begin - offsets_[piece.block]; }
  /// Of a piece that is handed on: how many such were received before it.
  [[nodiscard]] std::uint64_t handed_on(std::uint64_t receive) const;
  [[nodiscard]] Chunk operand(const BlockPiece& piece) const;
  [[nodiscard]] Chunk last(const BlockPiece& piece) const;

  const Operands& operands_;
  std::span<const Rank> members_;
  const BlockSchedule& schedule_;
  Rank own_;
  std::uint64_t first_sent_;                ///< the block that is sent before any has come
  std::vector<std::uint64_t> starts_;       ///< of the shares in the operands, by rank
  std::vector<std::uint64_t> offsets_;      ///< of the blocks, by position; one more than there are
  std::uint64_t pieces_before_ = 0;         ///< sent before any has come
  std::uint64_t staying_ = 0;               ///< pieces of the own block
  std::uint64_t first_staying_ = no_round;  ///< the number of the first of them; none yet
  std::uint64_t slot_count_ = 0;
  std::uint64_t longest_ = 0;  ///< elements of a piece
  Operands::Slots slots_;
  Operands::Slots last_;  ///< this rank's own block, where its place still holds operands
};

}  // namespace trunkline::runtime
