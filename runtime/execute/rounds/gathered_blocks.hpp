// SPDX-License-Identifier: Apache-2.0
// Blocks of an allgather: each rank's share, wherever it goes in the memory of another.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "datatype/gathered.hpp"
#include "execute/rounds/stream_blocks.hpp"

namespace trunkline::runtime {

class GatheredBlocks final : public StreamBlocks {
 public:
  /// `members`: ranks of the communicator by position. Throws MpiError.
  GatheredBlocks(const Gathered& gathered, std::span<const Rank> members);

  [[nodiscard]] std::uint64_t count() const override { return messages_.size(); }
  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const override { return offsets_[block]; }
  [[nodiscard]] bool lie_apart() const override { return true; }

  /// Where a block goes; null: it is empty.
  [[nodiscard]] Message* message(Rank position) const { return messages_[position].get(); }

  /// Puts a rank's own share where it belongs; null: it is empty. Throws MpiError, MPI_ERR_TRUNCATE where it is of
  /// another length.
  void put(Message* share, Rank position);

 private:
  [[nodiscard]] Place place(const BlockPiece& piece) override {
    return {*messages_[piece.block], piece.begin - offsets_[piece.block]};
  }
  [[nodiscard]] bool is_in_place() const override { return in_place_; }

  std::vector<std::unique_ptr<Message>> messages_;  ///< by position; null: empty
  std::vector<std::uint64_t> offsets_;              ///< one more than blocks
  bool in_place_ = true;
};

}  // namespace trunkline::runtime
