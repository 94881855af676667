// SPDX-License-Identifier: Apache-2.0
// Blocks of a gather or a scatter: the share of each position. The root has them in the program's memory, others hold
// those that pass through them, in a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "datatype/shares_at_root.hpp"
#include "execute/rounds/local_blocks.hpp"
#include "execute/rounds/stream_blocks.hpp"
#include "network/placement.hpp"

namespace trunkline::runtime {

class RootShareBlocks final : public StreamBlocks {
 public:
  /// `local` must outlive the object. Throws MpiError, MPI_ERR_TRUNCATE where shares are of different lengths.
  RootShareBlocks(const RootShares& shares, const LocalBlocks& local);

  [[nodiscard]] std::uint64_t count() const override { return members_.size(); }
  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const override { return block * shares_.share_bytes; }
  void settle() override;

 private:
  [[nodiscard]] Place place(const BlockPiece& piece) override;

  const RootShares shares_;
  std::span<const Rank> members_;
  Rank position_;
  std::uint64_t first_;             ///< block, of those that pass through this rank
  std::vector<std::byte> held_;     ///< these; empty: its own alone does
  std::optional<Message> holding_;  ///< the same
};

}  // namespace trunkline::runtime
