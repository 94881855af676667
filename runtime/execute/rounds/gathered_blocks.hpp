// SPDX-License-Identifier: Apache-2.0
// Blocks of an allgather: each rank's share, wherever it goes in the memory of another.
#pragma once

#include <span>
#include <vector>

#include "execute/gathered_shares.hpp"
#include "execute/rounds/stream_blocks.hpp"

namespace trunkline::runtime {

class GatheredBlocks final : public StreamBlocks {
 public:
  /// `members`: ranks of the communicator by position. Throws MpiError.
  GatheredBlocks(const Gathered& gathered, std::span<const Rank> members);

  [[nodiscard]] std::uint64_t count() const override { return shares_.size(); }
  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const override { return offsets_[block]; }

  /// Where a block goes; null: it is empty.
  [[nodiscard]] Message* message(Rank position) const { return shares_.message(position); }

  /// See GatheredShares. Throws MpiError.
  void put(Message* share, Rank position) { shares_.put(share, position); }

 private:
  [[nodiscard]] Place place(const BlockPiece& piece) override;

  GatheredShares shares_;
  std::vector<std::uint64_t> offsets_;  ///< one more than blocks
};

}  // namespace trunkline::runtime
