// SPDX-License-Identifier: Apache-2.0
#include "datatype/message.hpp"

#include <algorithm>
#include <cstring>

namespace trunkline::runtime {
namespace {

// Addresses are integers here: with MPI_BOTTOM they start at null, where pointer arithmetic is undefined.
void* pointer(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): MPI_BOTTOM leaves no other way
}

std::uintptr_t moved(std::uintptr_t address, std::int64_t by) { return address + static_cast<std::uintptr_t>(by); }

}  // namespace

Message::Message(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Comm communicator)
    : base_(reinterpret_cast<std::uintptr_t>(buffer)),
      communicator_(communicator),
      layout_(type, static_cast<std::uint64_t>(count)) {}

std::byte* Message::in_place() const noexcept {
  const LayoutNode& root = layout_.root();
  if (root.kind != NodeKind::solid) return nullptr;
  return static_cast<std::byte*>(pointer(moved(base_, root.displacement)));
}

void Message::read(std::uint64_t offset, std::uint64_t bytes, std::byte* out) {
  direction_ = Direction::read;
  stream_ = out;
  move(layout_.root(), base_, offset, offset + bytes);
}

void Message::write(std::uint64_t offset, std::uint64_t bytes, std::byte* in) {
  direction_ = Direction::write;
  stream_ = in;
  move(layout_.root(), base_, offset, offset + bytes);
}

void Message::move(const LayoutNode& node, std::uintptr_t address, std::uint64_t from, std::uint64_t to) {
  switch (node.kind) {
    case NodeKind::empty:
      break;
    case NodeKind::solid:
      move_memory(moved(address, node.displacement) + from, to - from);
      break;
    case NodeKind::opaque:
      move_opaque(node, address, from, to);
      break;
    case NodeKind::runs:
      move_runs(node, address, from, to);
      break;
  }
}

void Message::move_runs(const LayoutNode& node, std::uintptr_t address, std::uint64_t from, std::uint64_t to) {
  auto run = std::ranges::upper_bound(node.runs, from, {}, &Run::begin) - 1;
  while (from < to) {
    const std::uintptr_t start = moved(address, run->displacement);
    const std::uint64_t skip = from - run->begin;
    if (run->child == raw_bytes) {
      const std::uint64_t bytes = std::min(run->count - skip, to - from);
      move_memory(start + skip, bytes);
      from += bytes;
    } else {
      const LayoutNode& child = layout_.node(run->child);
      const std::uint64_t end = std::min(run->begin + run->count * child.bytes, to);
      std::uint64_t index = skip / child.bytes;
      std::uint64_t inside = skip % child.bytes;
      for (; from < end; ++index, inside = 0) {
        const std::uint64_t bytes = std::min(child.bytes - inside, end - from);
        move(child, moved(start, static_cast<std::int64_t>(index) * run->stride), inside, inside + bytes);
        from += bytes;
      }
    }
    ++run;
  }
}

void Message::move_memory(std::uintptr_t address, std::uint64_t bytes) {
  if (direction_ == Direction::read) {
    std::memcpy(stream_, pointer(address), bytes);
  } else {
    std::memcpy(pointer(address), stream_, bytes);
  }
  stream_ += bytes;
}

void Message::move_opaque(const LayoutNode& node, std::uintptr_t address, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t bytes = to - from;
  const bool whole = bytes == node.bytes;
  if (!whole) element_.resize(std::max<std::size_t>(element_.size(), node.bytes));
  std::byte* const element = whole ? stream_ : element_.data();
  if (direction_ == Direction::read) {
    pack(node, address, element);
    if (!whole) std::memcpy(stream_, element + from, bytes);
  } else {
    if (!whole) {
      pack(node, address, element);
      std::memcpy(element + from, stream_, bytes);
    }
    unpack(node, address, element);
  }
  stream_ += bytes;
}

void Message::pack(const LayoutNode& node, std::uintptr_t address, std::byte* out) {
  int position = 0;
  check(PMPI_Pack(pointer(address), 1, node.type, out, static_cast<int>(node.bytes), &position, communicator_));
  // Between machines of one kind packing adds nothing; a library that does would break the stream.
  if (static_cast<std::uint64_t>(position) != node.bytes) throw MpiError{MPI_ERR_INTERN};
}

void Message::unpack(const LayoutNode& node, std::uintptr_t address, std::byte* in) {
  int position = 0;
  check(PMPI_Unpack(in, static_cast<int>(node.bytes), &position, pointer(address), 1, node.type, communicator_));
}

}  // namespace trunkline::runtime
