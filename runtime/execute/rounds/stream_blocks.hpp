// SPDX-License-Identifier: Apache-2.0
// Blocks that are moved as they are, byte by byte: ranks may describe the same bytes by different datatypes.
#pragma once

#include <memory>

#include "datatype/message.hpp"
#include "execute/rounds/blocks.hpp"

namespace trunkline::runtime {

class StreamBlocks : public Blocks {
 public:
  void make_room(std::uint64_t receives, std::uint64_t sends, std::uint64_t units) final;
  [[nodiscard]] Chunk incoming(const BlockPiece& piece, std::uint64_t number) final;
  [[nodiscard]] Chunk outgoing(const BlockPiece& piece, std::uint64_t number) final;
  void arrived(const BlockPiece& piece, std::uint64_t number) final;
  void give_up(bool received, bool sent) noexcept final;

 protected:
  /// A slice of what a rank has in its own memory.
  struct Place {
    Message& message;
    std::uint64_t offset;
    std::uint64_t bytes;
  };
  /// Where a piece begins, and how much of it lies there in a row.
  [[nodiscard]] virtual Place place(const BlockPiece& piece) = 0;

 private:
  /// Memory for a window of pieces, made when the first one does not lie in the user's own as it is sent.
  struct Slots {
    std::unique_ptr<std::byte[]> memory{};
    std::uint64_t count = 0;
  };
  /// Null: it lies in several places, or not as it is sent.
  [[nodiscard]] std::byte* in_place(const BlockPiece& piece);
  [[nodiscard]] std::byte* slot(Slots& slots, std::uint64_t number);
  /// Calls that with each place of a piece, and how far from its begin that is.
  template <class Use>
  void each_place(BlockPiece piece, const Use& use);

  std::uint64_t longest_ = 0;
  Slots receives_;
  Slots sends_;
};

}  // namespace trunkline::runtime
