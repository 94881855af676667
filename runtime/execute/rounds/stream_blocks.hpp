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
  };
  [[nodiscard]] virtual Place place(const BlockPiece& piece) = 0;
  /// All of it lies as it is sent.
  [[nodiscard]] virtual bool is_in_place() const = 0;

 private:
  /// Memory for a window of pieces; none where they lie in the user's own.
  struct Slots {
    std::unique_ptr<std::byte[]> memory{};
    std::uint64_t count = 0;
  };
  [[nodiscard]] Chunk chunk(const Slots& slots, const BlockPiece& piece, std::uint64_t number);

  std::uint64_t longest_ = 0;
  Slots receives_;
  Slots sends_;
};

}  // namespace trunkline::runtime
