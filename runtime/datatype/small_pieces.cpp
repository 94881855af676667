// SPDX-License-Identifier: Apache-2.0
#include "datatype/small_pieces.hpp"

namespace trunkline::runtime {

void SmallPieces::collect(const LayoutNode& node, std::int64_t displacement) {
  switch (node.kind) {
    case NodeKind::empty:
    case NodeKind::opaque:  // has none that we know
      break;
    case NodeKind::solid:
      add(displacement + node.displacement, node.bytes);
      break;
    case NodeKind::strided:
    case NodeKind::places:
      for (std::uint64_t i = 0; i < node.count; ++i) collect(*node.child, displacement + node.place(i));
      break;
    case NodeKind::pieces:
      for (std::size_t i = 0; i + 1 < node.pieces.size(); ++i) {
        add(displacement + node.pieces[i].displacement, node.pieces[i + 1].begin - node.pieces[i].begin);
      }
      break;
    case NodeKind::parts:
      for (std::size_t i = 0; i + 1 < node.parts.size(); ++i) {
        const Part& part = node.parts[i];
        if (part.node != nullptr) {
          collect(*part.node, displacement + part.displacement);
        } else {
          add(displacement + part.displacement, node.parts[i + 1].begin - part.begin);
        }
      }
      break;
  }
}

void SmallPieces::add(std::int64_t displacement, std::uint64_t bytes) {
  pieces_.at(count_++) = {displacement, bytes_, bytes};
  bytes_ += bytes;
}

}  // namespace trunkline::runtime
