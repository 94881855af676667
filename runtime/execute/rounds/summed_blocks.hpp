// SPDX-License-Identifier: Apache-2.0
// Blocks of a reduce-scatter that a rank sums up in memory of its own: room for all of them, so that they may come and
// go in any order and several in one message.
#pragma once

#include <span>
#include <vector>

#include "datatype/operands.hpp"
#include "execute/rounds/blocks.hpp"

namespace trunkline::runtime {

class SummedBlocks final : public Blocks {
 public:
  /// `counts`: elements of each rank's share, by rank of the communicator; `members`: those ranks by position; `own`:
  /// this one's position. The operands' result is this rank's own share. A rank sends each block once, after all that
  /// it receives of it. All must outlive the object. Throws std::bad_alloc.
  SummedBlocks(const Operands& operands, std::span<const MPI_Count> counts, std::span<const Rank> members, Rank own);

  [[nodiscard]] std::uint64_t count() const override { return first_touch_.size(); }
  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const override { return offsets_[block]; }
  [[nodiscard]] std::uint64_t unit_bytes() const override { return operands_.element_bytes(); }
  [[nodiscard]] std::uint64_t piece_memory(std::uint64_t units) const override {
    return Operands::Slots::bytes(operands_, units);
  }
  void make_room(std::uint64_t receives, std::uint64_t sends, std::uint64_t units) override;
  [[nodiscard]] Chunk incoming(const BlockPiece& piece, std::uint64_t number) override;
  [[nodiscard]] Chunk outgoing(const BlockPiece& piece, std::uint64_t number) override;
  void arrived(const BlockPiece& piece, std::uint64_t number) override;
  void give_up(bool received, bool sent) noexcept override;
  void settle() override;

 private:
  [[nodiscard]] Chunk operand(std::uint64_t block, std::uint64_t begin, std::uint64_t end) const;
  [[nodiscard]] Chunk sum(std::uint64_t begin, std::uint64_t end) const {
    return sums_.part(operands_, begin, end - begin);
  }
  [[nodiscard]] bool is_first(const BlockPiece& piece) const { return first_touch_[piece.block] == piece.round; }
  /// Calls that with each block of a piece, and its part there.
  template <class Use>
  void each_block(const BlockPiece& piece, const Use& use) const;

  const Operands& operands_;
  std::span<const Rank> members_;
  Rank own_;
  std::vector<std::uint64_t> starts_;       ///< of the shares in the operands, by rank
  std::vector<std::uint64_t> offsets_;      ///< of the blocks, by position; one more than there are
  std::vector<std::uint64_t> first_touch_;  ///< by block: the first round that brings something; no_round: none yet
  Operands::Slots sums_;
  Operands::Slots slots_;
  std::uint64_t slot_count_ = 0;
};

}  // namespace trunkline::runtime
