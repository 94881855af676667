// SPDX-License-Identifier: Apache-2.0
// The innermost loops of packing: pieces of memory to a stream of bytes, or back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datatype/layout.hpp"

namespace trunkline::runtime {

enum class Direction : std::uint8_t { to_stream, to_memory };

/// Addresses are integers: with MPI_BOTTOM they start at null, where pointer arithmetic is undefined.
[[nodiscard]] inline std::byte* pointer(std::uintptr_t address) noexcept {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr): MPI_BOTTOM leaves no other way
}

[[nodiscard]] inline std::uintptr_t moved(std::uintptr_t address, std::int64_t by) noexcept {
  return address + static_cast<std::uintptr_t>(by);
}

/// `count` pieces of `bytes` each: in memory `stride` apart from `address` on, or where `displacements` (count of them)
/// says if that is not null; in the stream `step` apart.
struct Rows {
  std::uintptr_t address = 0;
  const std::int64_t* displacements = nullptr;
  std::int64_t stride = 0;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t step = 0;
};

/// The first piece of the stream is at `stream`.
void copy_rows(Direction direction, const Rows& rows, std::byte* stream);

/// Bytes [from, to) of the stream of a node at `address`.
struct Slice {
  std::uintptr_t address = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

/// The slice's bytes, which begin in the first of `pieces`. Returns that of the pieces in which they end.
const Piece* copy_pieces(Direction direction, const Piece* pieces, const Slice& slice, std::byte* stream);

}  // namespace trunkline::runtime
