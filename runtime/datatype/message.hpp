// SPDX-License-Identifier: Apache-2.0
// The user's buffer as a stream of bytes that can be read and written slice by slice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "datatype/copy_rows.hpp"
#include "datatype/layout.hpp"

namespace trunkline::runtime {

class Message {
 public:
  /// `count` elements of a committed datatype at `buffer`, which may be MPI_BOTTOM. `communicator` serves
  /// MPI_Pack alone. Throws MpiError.
  Message(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Comm communicator);
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  [[nodiscard]] std::uint64_t bytes() const noexcept { return root_->bytes; }

  /// The stream where it lies in memory as it is, without gaps; else null.
  [[nodiscard]] std::byte* in_place() const noexcept;

  /// Copies `bytes` of the stream from `offset` on. Throws MpiError.
  void read(std::uint64_t offset, std::uint64_t bytes, std::byte* out);

  /// The other way, slices in any order. Where a slice holds a part of an element that only MPI can unpack, the rest is
  /// packed from where the element lies, and all of it unpacked again. Throws MpiError.
  void write(std::uint64_t offset, std::uint64_t bytes, std::byte* in);

 private:
  /// Moving a slice to or from `stream_` advances that.
  void move(const LayoutNode& node, Slice slice);
  void move_memory(std::uintptr_t address, std::uint64_t bytes);
  void move_repeated(const LayoutNode& node, Slice slice);
  void move_children(const LayoutNode& node, std::uintptr_t address, std::uint64_t first, std::uint64_t count);
  void move_small_children(const LayoutNode& node, std::uintptr_t address, std::uint64_t first,
                           std::uint64_t count) const;
  void move_pieces(const LayoutNode& node, Slice slice);
  void move_parts(const LayoutNode& node, Slice slice);
  void move_part_of_opaque(const LayoutNode& node, Slice slice);
  void move_opaque(const LayoutNode& node, std::uintptr_t address, std::uint64_t count, std::byte* stream);
  void pack(const LayoutNode& node, std::uintptr_t address, std::uint64_t count, std::byte* out);
  void unpack(const LayoutNode& node, std::uintptr_t address, std::uint64_t count, std::byte* in);

  template <class Item>
  [[nodiscard]] std::size_t find(const std::vector<Item>& items, std::uint64_t byte) const;

  std::uintptr_t base_;
  MPI_Comm communicator_;
  std::shared_ptr<const Layout> layout_;
  LayoutNode elements_;     ///< all of them, where they are more than one
  const LayoutNode* root_;  ///< elements_, or the layout's own
  Direction direction_ = Direction::to_stream;
  std::byte* stream_ = nullptr;
  std::size_t last_found_ = 0;      ///< place in a list where the slice before this one ended
  std::vector<std::byte> element_;  ///< an opaque element of which a slice holds only a part
};

/// Copies bytes of one stream to another one. Throws MpiError.
void copy_stream(Message& from, std::uint64_t from_offset, Message& to, std::uint64_t to_offset, std::uint64_t bytes);

}  // namespace trunkline::runtime
