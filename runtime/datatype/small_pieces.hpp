// SPDX-License-Identifier: Apache-2.0
// The pieces of memory below a node that has few of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "datatype/layout.hpp"

namespace trunkline::runtime {

struct SmallPiece {
  std::int64_t displacement;  ///< from the node's address
  std::uint64_t begin;        ///< bytes of the node's stream before it
  std::uint64_t bytes;
};

class SmallPieces {
 public:
  static constexpr std::uint64_t most = 16;

  /// `node.piece_count` must be at most `most`.
  explicit SmallPieces(const LayoutNode& node) { collect(node, 0); }

  [[nodiscard]] const SmallPiece* begin() const noexcept { return pieces_.data(); }
  [[nodiscard]] const SmallPiece* end() const noexcept { return pieces_.data() + count_; }

 private:
  void collect(const LayoutNode& node, std::int64_t displacement);
  void add(std::int64_t displacement, std::uint64_t bytes);

  std::array<SmallPiece, most> pieces_;
  std::size_t count_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace trunkline::runtime
