// SPDX-License-Identifier: Apache-2.0
#include "datatype/copy_rows.hpp"

#include <algorithm>
#include <cstring>

namespace trunkline::runtime {
namespace {

/// exact: the pieces have `part` bytes; up_to_twice: they are copied as two parts, which may overlap.
enum class Size : std::uint8_t { exact, up_to_twice, any };

/// One for each direction, kind of places and size: no call and no decision is left inside.
template <Direction direction, bool listed, Size size, std::size_t part>
void loop(const Rows& rows, std::byte* stream) {
  // Copies, so that the compiler knows that what is written changes none of them.
  const auto [address, displacements, stride, count, bytes, step] = rows;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::int64_t displacement = listed ? displacements[i] : static_cast<std::int64_t>(i) * stride;
    std::byte* const memory = pointer(moved(address, displacement));
    std::byte* const to = direction == Direction::to_stream ? stream : memory;
    const std::byte* const from = direction == Direction::to_stream ? memory : stream;
    if constexpr (size == Size::any) {
      std::memcpy(to, from, bytes);
    } else {
      std::memcpy(to, from, part);
      if constexpr (size == Size::up_to_twice) std::memcpy(to + bytes - part, from + bytes - part, part);
    }
    stream += step;
  }
}

template <Direction direction, bool listed>
void by_size(const Rows& rows, std::byte* stream) {
  switch (rows.bytes) {
    case 1:
      return loop<direction, listed, Size::exact, 1>(rows, stream);
    case 2:
      return loop<direction, listed, Size::exact, 2>(rows, stream);
    case 4:
      return loop<direction, listed, Size::exact, 4>(rows, stream);
    case 8:
      return loop<direction, listed, Size::exact, 8>(rows, stream);
    case 16:
      return loop<direction, listed, Size::exact, 16>(rows, stream);
    default:
      break;
  }
  if (rows.bytes < 4) return loop<direction, listed, Size::up_to_twice, 2>(rows, stream);
  if (rows.bytes < 8) return loop<direction, listed, Size::up_to_twice, 4>(rows, stream);
  if (rows.bytes < 16) return loop<direction, listed, Size::up_to_twice, 8>(rows, stream);
  if (rows.bytes <= 32) return loop<direction, listed, Size::up_to_twice, 16>(rows, stream);
  return loop<direction, listed, Size::any, 0>(rows, stream);
}

/// Short pieces without a call.
void copy_short(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  const auto two_parts = [&]<std::size_t part>() {
    std::memcpy(to, from, part);
    std::memcpy(to + bytes - part, from + bytes - part, part);
  };
  if (bytes > 32) {
    std::memcpy(to, from, bytes);
  } else if (bytes >= 16) {
    two_parts.operator()<16>();
  } else if (bytes >= 8) {
    two_parts.operator()<8>();
  } else if (bytes >= 4) {
    two_parts.operator()<4>();
  } else if (bytes >= 2) {
    two_parts.operator()<2>();
  } else {
    *to = *from;
  }
}

template <Direction direction>
const Piece* loop(const Piece* piece, const Slice& slice, std::byte* stream) {
  const auto [address, begin, end] = slice;
  for (std::uint64_t from = begin;; ++piece) {
    const std::uint64_t to = std::min(piece[1].begin, end);
    std::byte* const memory = pointer(moved(address, piece->displacement) + (from - piece->begin));
    const std::uint64_t bytes = to - from;
    direction == Direction::to_stream ? copy_short(stream, memory, bytes) : copy_short(memory, stream, bytes);
    if (to == end) return piece;
    stream += bytes;
    from = to;
  }
}

}  // namespace

const Piece* copy_pieces(Direction direction, const Piece* pieces, const Slice& slice, std::byte* stream) {
  return direction == Direction::to_stream ? loop<Direction::to_stream>(pieces, slice, stream)
                                           : loop<Direction::to_memory>(pieces, slice, stream);
}

void copy_rows(Direction direction, const Rows& rows, std::byte* stream) {
  const bool listed = rows.displacements != nullptr;
  if (direction == Direction::to_stream) {
    listed ? by_size<Direction::to_stream, true>(rows, stream) : by_size<Direction::to_stream, false>(rows, stream);
  } else {
    listed ? by_size<Direction::to_memory, true>(rows, stream) : by_size<Direction::to_memory, false>(rows, stream);
  }
}

}  // namespace trunkline::runtime
