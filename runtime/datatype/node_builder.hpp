// SPDX-License-Identifier: Apache-2.0
// Makes one node of many: joins pieces that touch each other in memory, and keeps the list in the shortest form that
// holds it.
#pragma once

#include "datatype/layout.hpp"

namespace trunkline::runtime {

class NodeBuilder {
 public:
  /// For about `most` calls of `add`.
  NodeBuilder(Layout& layout, std::size_t most) : layout_(layout), most_(most) {}

  /// What comes next in the stream: `node` of the same layout, `displacement` bytes from the address of the whole.
  void add(std::int64_t displacement, const LayoutNode* node);

  /// The same for a piece of memory.
  void add_memory(std::int64_t displacement, std::uint64_t bytes);

  /// The node of everything added.
  [[nodiscard]] const LayoutNode* finish();

 private:
  struct Item {
    std::int64_t displacement = 0;
    std::uint64_t bytes = 0;
    const LayoutNode* node = nullptr;  ///< null: memory itself
  };

  void flush();
  [[nodiscard]] bool continues(const Item& item) const;
  void to_places();
  void to_pieces();
  void to_parts();
  void finish_strided();
  void finish_parts();

  Layout& layout_;
  std::size_t most_;
  Item pending_;  ///< may still grow
  Item first_;    ///< strided, places: what all are alike, but for the displacement
  std::uint64_t count_ = 0;
  std::uint64_t bytes_ = 0;
  LayoutNode made_;
};

}  // namespace trunkline::runtime
