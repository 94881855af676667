// SPDX-License-Identifier: Apache-2.0
#include "datatype/node_builder.hpp"

#include <utility>

#include "datatype/small_pieces.hpp"

namespace trunkline::runtime {
namespace {

/// As pieces these take no more memory than as a part, and less time.
constexpr std::uint64_t few = 2;

}  // namespace

void NodeBuilder::add(std::int64_t displacement, const LayoutNode* node) {
  if (node->kind == NodeKind::solid) return add_memory(displacement + node->displacement, node->bytes);
  if (node->bytes == 0) return;
  if (node->piece_count <= few) {
    for (const SmallPiece& piece : SmallPieces(*node)) add_memory(displacement + piece.displacement, piece.bytes);
    return;
  }
  flush();
  pending_ = {displacement, node->bytes, node};
}

void NodeBuilder::add_memory(std::int64_t displacement, std::uint64_t bytes) {
  if (bytes == 0) return;
  if (pending_.node == nullptr && pending_.bytes > 0 &&
      pending_.displacement + static_cast<std::int64_t>(pending_.bytes) == displacement) {
    pending_.bytes += bytes;
    return;
  }
  flush();
  pending_ = {displacement, bytes, nullptr};
}

/// A list starts as places a stride apart, of which only the number is kept, and changes its form when an item does not
/// fit into it.
void NodeBuilder::flush() {
  const Item item = std::exchange(pending_, {});
  if (item.bytes == 0) return;
  if (count_ == 0) {
    first_ = item;
    made_.kind = NodeKind::strided;
  }
  if (made_.kind == NodeKind::strided || made_.kind == NodeKind::places) {
    const bool as_first = item.bytes == first_.bytes && item.node == first_.node;
    if (!as_first) {
      to_pieces();
    } else if (made_.kind == NodeKind::strided && !continues(item)) {
      to_places();
    }
  }
  if (made_.kind == NodeKind::pieces && item.node != nullptr) to_parts();

  if (made_.kind == NodeKind::strided && count_ == 1) made_.stride = item.displacement - first_.displacement;
  if (made_.kind == NodeKind::places) made_.displacements.push_back(item.displacement);
  if (made_.kind == NodeKind::pieces) made_.pieces.push_back({item.displacement, bytes_});
  if (made_.kind == NodeKind::parts) made_.parts.push_back({{item.displacement, bytes_}, item.node});
  bytes_ += item.bytes;
  ++count_;
}

bool NodeBuilder::continues(const Item& item) const {
  return count_ < 2 || item.displacement == first_.displacement + static_cast<std::int64_t>(count_) * made_.stride;
}

void NodeBuilder::to_places() {
  made_.displacements.reserve(most_);
  for (std::uint64_t i = 0; i < count_; ++i) {
    made_.displacements.push_back(first_.displacement + static_cast<std::int64_t>(i) * made_.stride);
  }
  made_.kind = NodeKind::places;
}

void NodeBuilder::to_pieces() {
  if (made_.kind == NodeKind::strided) to_places();
  made_.kind = NodeKind::pieces;
  made_.pieces.reserve(most_ + 1);
  std::uint64_t begin = 0;
  for (const std::int64_t displacement : std::exchange(made_.displacements, {})) {
    made_.pieces.push_back({displacement, begin});
    begin += first_.bytes;
  }
  if (first_.node != nullptr) to_parts();
}

void NodeBuilder::to_parts() {
  made_.kind = NodeKind::parts;
  made_.parts.reserve(most_ + 1);
  for (const Piece& piece : std::exchange(made_.pieces, {})) made_.parts.push_back({piece, first_.node});
}

const LayoutNode* NodeBuilder::finish() {
  flush();
  if (count_ == 0) return layout_.add({});
  made_.bytes = bytes_;
  switch (made_.kind) {
    case NodeKind::strided:
      finish_strided();
      break;
    case NodeKind::places:
      made_.count = count_;
      made_.child = first_.node != nullptr ? first_.node : layout_.solid(first_.bytes);
      made_.piece_count = total_pieces(*made_.child, count_);
      made_.displacements.shrink_to_fit();
      break;
    case NodeKind::pieces:
      made_.piece_count = count_;
      made_.pieces.push_back({0, bytes_});
      made_.pieces.shrink_to_fit();
      break;
    default:
      finish_parts();
      break;
  }
  return layout_.add(std::move(made_));
}

void NodeBuilder::finish_strided() {
  const LayoutNode* const child = first_.node != nullptr ? first_.node : layout_.solid(first_.bytes);
  made_ = repeated(*child, count_, made_.stride);
  made_.displacement += first_.displacement;
}

void NodeBuilder::finish_parts() {
  for (const Part& part : made_.parts) {
    const std::uint64_t more = part.node == nullptr ? 1 : part.node->piece_count;
    if (more == no_piece_count) made_.piece_count = more;
    if (made_.piece_count != no_piece_count) made_.piece_count += more;
  }
  made_.parts.push_back({{0, bytes_}, nullptr});
  made_.parts.shrink_to_fit();
}

}  // namespace trunkline::runtime
