// SPDX-License-Identifier: Apache-2.0
// The user's buffer as a stream of bytes that can be read and written slice by slice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "datatype/layout.hpp"

namespace trunkline::runtime {

class Message {
 public:
  /// `count` elements of a committed datatype at `buffer`, which may be MPI_BOTTOM. `communicator` serves
  /// MPI_Pack alone. Throws MpiError.
  Message(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Comm communicator);

  [[nodiscard]] std::uint64_t bytes() const noexcept { return layout_.root().bytes; }

  /// The stream where it lies in memory as it is, without gaps; else null.
  [[nodiscard]] std::byte* in_place() const noexcept;

  /// Copies `bytes` of the stream from `offset` on. Throws MpiError.
  void read(std::uint64_t offset, std::uint64_t bytes, std::byte* out);

  /// The other way, slices in any order. Where a slice holds a part of an element that only MPI can unpack, the rest is
  /// packed from where the element lies, and all of it unpacked again. Throws MpiError.
  void write(std::uint64_t offset, std::uint64_t bytes, std::byte* in);

 private:
  enum class Direction : std::uint8_t { read, write };

  /// Moves bytes [from, to) of the stream of `node` at `address` to or from `stream_`, which it advances.
  void move(const LayoutNode& node, std::uintptr_t address, std::uint64_t from, std::uint64_t to);
  void move_runs(const LayoutNode& node, std::uintptr_t address, std::uint64_t from, std::uint64_t to);
  void move_memory(std::uintptr_t address, std::uint64_t bytes);
  void move_opaque(const LayoutNode& node, std::uintptr_t address, std::uint64_t from, std::uint64_t to);
  void pack(const LayoutNode& node, std::uintptr_t address, std::byte* out);
  void unpack(const LayoutNode& node, std::uintptr_t address, std::byte* in);

  std::uintptr_t base_;
  MPI_Comm communicator_;
  Layout layout_;
  Direction direction_ = Direction::read;
  std::byte* stream_ = nullptr;
  std::vector<std::byte> element_;  ///< an opaque element of which a slice holds only a part
};

}  // namespace trunkline::runtime
