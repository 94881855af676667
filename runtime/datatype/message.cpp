// SPDX-License-Identifier: Apache-2.0
#include "datatype/message.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "datatype/kept_layouts.hpp"
#include "datatype/small_pieces.hpp"

namespace trunkline::runtime {
namespace {

/// Of children of few pieces so many are moved at a time as stay in the fastest cache.
constexpr std::uint64_t cached_bytes = std::uint64_t{16} << 10;

/// One piece of `count` children of a node at `address`, from number `first` on.
Rows rows_of(const LayoutNode& node, std::uintptr_t address, const SmallPiece& piece, std::uint64_t first,
             std::uint64_t count) {
  const bool listed = node.kind == NodeKind::places;
  return {.address = moved(address, piece.displacement + (listed ? 0 : node.place(first))),
          .displacements = listed ? &node.displacements[first] : nullptr,
          .stride = node.stride,
          .count = count,
          .bytes = piece.bytes,
          .step = node.child->bytes};
}

}  // namespace

Message::Message(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Comm communicator)
    : base_(reinterpret_cast<std::uintptr_t>(buffer)),
      communicator_(communicator),
      layout_(layout_of(type)),
      root_(&layout_->root()) {
  if (count == 1) return;
  elements_ = repeated(*root_, static_cast<std::uint64_t>(count), layout_->extent());
  root_ = &elements_;
}

std::byte* Message::in_place() const noexcept {
  return root_->kind == NodeKind::solid ? pointer(moved(base_, root_->displacement)) : nullptr;
}

void Message::read(std::uint64_t offset, std::uint64_t bytes, std::byte* out) {
  direction_ = Direction::to_stream;
  stream_ = out;
  move(*root_, {base_, offset, offset + bytes});
}

void Message::write(std::uint64_t offset, std::uint64_t bytes, std::byte* in) {
  direction_ = Direction::to_memory;
  stream_ = in;
  move(*root_, {base_, offset, offset + bytes});
}

void Message::move(const LayoutNode& node, Slice slice) {
  switch (node.kind) {
    case NodeKind::empty:
      break;
    case NodeKind::solid:
      move_memory(moved(slice.address, node.displacement) + slice.from, slice.to - slice.from);
      break;
    case NodeKind::opaque:
      move_part_of_opaque(node, slice);
      break;
    case NodeKind::strided:
    case NodeKind::places:
      move_repeated(node, slice);
      break;
    case NodeKind::pieces:
      move_pieces(node, slice);
      break;
    case NodeKind::parts:
      move_parts(node, slice);
      break;
  }
}

void Message::move_memory(std::uintptr_t address, std::uint64_t bytes) {
  if (direction_ == Direction::to_stream) {
    std::memcpy(stream_, pointer(address), bytes);
  } else {
    std::memcpy(pointer(address), stream_, bytes);
  }
  stream_ += bytes;
}

/// The end of a child, whole ones, and the beginning of one.
void Message::move_repeated(const LayoutNode& node, Slice slice) {
  if (slice.to - slice.from == node.bytes) return move_children(node, slice.address, 0, node.count);
  const LayoutNode& child = *node.child;
  std::uint64_t index = slice.from / child.bytes;
  std::uint64_t left = slice.to - slice.from;
  const std::uint64_t inside = slice.from % child.bytes;
  if (inside > 0) {
    const std::uint64_t bytes = std::min(child.bytes - inside, left);
    move(child, {moved(slice.address, node.place(index)), inside, inside + bytes});
    left -= bytes;
    ++index;
  }
  const std::uint64_t whole = left / child.bytes;
  if (whole > 0) move_children(node, slice.address, index, whole);
  left -= whole * child.bytes;
  if (left > 0) move(child, {moved(slice.address, node.place(index + whole)), 0, left});
}

void Message::move_children(const LayoutNode& node, std::uintptr_t address, std::uint64_t first, std::uint64_t count) {
  const LayoutNode& child = *node.child;
  if (child.kind == NodeKind::solid) {
    copy_rows(direction_, rows_of(node, address, {child.displacement, 0, child.bytes}, first, count), stream_);
  } else if (child.piece_count <= SmallPieces::most) {
    move_small_children(node, address, first, count);
  } else if (child.kind == NodeKind::opaque && node.kind == NodeKind::strided && node.stride == child.stride) {
    move_opaque(child, moved(address, node.place(first)), count, stream_);
  } else {
    for (std::uint64_t i = first; i < first + count; ++i) move(child, {moved(address, node.place(i)), 0, child.bytes});
    return;
  }
  stream_ += count * child.bytes;
}

/// Not child by child: each loop moves one piece of all of them, as many as stay in the cache.
void Message::move_small_children(const LayoutNode& node, std::uintptr_t address, std::uint64_t first,
                                  std::uint64_t count) const {
  const LayoutNode& child = *node.child;
  const SmallPieces pieces(child);
  const std::uint64_t apart = std::max(child.bytes, static_cast<std::uint64_t>(std::abs(node.stride)));
  const std::uint64_t at_once = std::max<std::uint64_t>(cached_bytes / apart, 4);
  std::byte* stream = stream_;
  for (const std::uint64_t end = first + count; first < end;) {
    const std::uint64_t rows = std::min(at_once, end - first);
    for (const SmallPiece& piece : pieces) {
      copy_rows(direction_, rows_of(node, address, piece, first, rows), stream + piece.begin);
    }
    stream += rows * child.bytes;
    first += rows;
  }
}

/// The item that holds a byte of the stream. Slices mostly follow each other.
template <class Item>
std::size_t Message::find(const std::vector<Item>& items, std::uint64_t byte) const {
  for (const std::size_t guess : {last_found_, last_found_ + 1}) {
    if (guess + 1 < items.size() && items[guess].begin <= byte && byte < items[guess + 1].begin) return guess;
  }
  return static_cast<std::size_t>(std::ranges::upper_bound(items, byte, {}, &Item::begin) - items.begin()) - 1;
}

void Message::move_pieces(const LayoutNode& node, Slice slice) {
  const std::size_t first = find(node.pieces, slice.from);
  const Piece* const last = copy_pieces(direction_, &node.pieces[first], slice, stream_);
  last_found_ = static_cast<std::size_t>(last - node.pieces.data());
  stream_ += slice.to - slice.from;
}

void Message::move_parts(const LayoutNode& node, Slice slice) {
  std::size_t index = find(node.parts, slice.from);
  for (std::uint64_t from = slice.from; from < slice.to; ++index) {
    const Part& part = node.parts[index];
    const std::uint64_t to = std::min(node.parts[index + 1].begin, slice.to);
    const std::uintptr_t start = moved(slice.address, part.displacement);
    if (part.node != nullptr) {
      move(*part.node, {start, from - part.begin, to - part.begin});
    } else {
      move_memory(start + (from - part.begin), to - from);
    }
    from = to;
  }
  last_found_ = index - 1;
}

void Message::move_part_of_opaque(const LayoutNode& node, Slice slice) {
  const std::uint64_t bytes = slice.to - slice.from;
  if (bytes == node.bytes) {
    move_opaque(node, slice.address, 1, stream_);
  } else {
    element_.resize(std::max<std::size_t>(element_.size(), node.bytes));
    pack(node, slice.address, 1, element_.data());
    if (direction_ == Direction::to_stream) {
      std::memcpy(stream_, element_.data() + slice.from, bytes);
    } else {
      std::memcpy(element_.data() + slice.from, stream_, bytes);
      unpack(node, slice.address, 1, element_.data());
    }
  }
  stream_ += bytes;
}

void Message::move_opaque(const LayoutNode& node, std::uintptr_t address, std::uint64_t count, std::byte* stream) {
  if (direction_ == Direction::to_stream) {
    pack(node, address, count, stream);
  } else {
    unpack(node, address, count, stream);
  }
}

// A slice is never longer than an int can say.

void Message::pack(const LayoutNode& node, std::uintptr_t address, std::uint64_t count, std::byte* out) {
  const auto bytes = static_cast<int>(count * node.bytes);
  int position = 0;
  check(PMPI_Pack(pointer(address), static_cast<int>(count), node.type, out, bytes, &position, communicator_));
  // Between machines of one kind packing adds nothing; a library that does would break the stream.
  if (position != bytes) throw MpiError{MPI_ERR_INTERN};
}

void Message::unpack(const LayoutNode& node, std::uintptr_t address, std::uint64_t count, std::byte* in) {
  const auto bytes = static_cast<int>(count * node.bytes);
  int position = 0;
  check(PMPI_Unpack(in, bytes, &position, pointer(address), static_cast<int>(count), node.type, communicator_));
}

void copy_stream(Message& from, std::uint64_t from_offset, Message& to, std::uint64_t to_offset, std::uint64_t bytes) {
  if (from.in_place() != nullptr && to.in_place() != nullptr) {
    std::memmove(to.in_place() + to_offset, from.in_place() + from_offset, bytes);
    return;
  }
  constexpr std::uint64_t most = std::uint64_t{1} << 16;
  const std::uint64_t step = std::min(most, bytes);
  const auto between = std::make_unique_for_overwrite<std::byte[]>(step);
  for (std::uint64_t done = 0; done < bytes; done += step) {
    const std::uint64_t now = std::min(step, bytes - done);
    from.read(from_offset + done, now, between.get());
    to.write(to_offset + done, now, between.get());
  }
}

}  // namespace trunkline::runtime
