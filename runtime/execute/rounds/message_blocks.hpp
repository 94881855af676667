// SPDX-License-Identifier: Apache-2.0
// Blocks of a broadcast: parts of one message, of equal length.
#pragma once

#include "execute/rounds/stream_blocks.hpp"

namespace trunkline::runtime {

class MessageBlocks final : public StreamBlocks {
 public:
  /// `message` must outlive the object.
  MessageBlocks(Message& message, std::uint64_t blocks) : message_(message), blocks_(blocks) {}

  [[nodiscard]] std::uint64_t count() const override { return blocks_; }
  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const override {
    return even_offset(message_.bytes(), blocks_, block);
  }

 private:
  [[nodiscard]] Place place(const BlockPiece& piece) override { return {message_, piece.begin, piece.units()}; }

  Message& message_;
  std::uint64_t blocks_;
};

}  // namespace trunkline::runtime
