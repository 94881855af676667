// SPDX-License-Identifier: Apache-2.0
#include "datatype/runs_builder.hpp"

#include <utility>

namespace trunkline::runtime {

void RunsBuilder::add(std::int64_t displacement, std::uint64_t count, std::int64_t stride, NodeIndex child) {
  const LayoutNode& node = layout_.node(child);
  if (count == 0 || node.bytes == 0) return;
  const auto bytes = static_cast<std::int64_t>(node.bytes);
  const bool solid = node.kind == NodeKind::solid && (count == 1 || stride == bytes);
  if (!solid) {
    runs_.push_back({displacement, bytes_, count, stride, child});
  } else {
    const std::int64_t first = displacement + node.displacement;
    if (!runs_.empty() && runs_.back().child == raw_bytes &&
        runs_.back().displacement + static_cast<std::int64_t>(runs_.back().count) == first) {
      runs_.back().count += count * node.bytes;
    } else {
      runs_.push_back({first, bytes_, count * node.bytes, 1, raw_bytes});
    }
  }
  bytes_ += count * node.bytes;
}

NodeIndex RunsBuilder::finish() {
  if (runs_.empty()) return layout_.add({});
  if (runs_.size() == 1) {
    const Run& run = runs_.front();
    if (run.child == raw_bytes) {
      return layout_.add({.kind = NodeKind::solid, .bytes = bytes_, .displacement = run.displacement});
    }
    if (run.count == 1 && run.displacement == 0) return run.child;
  }
  return layout_.add({.kind = NodeKind::runs, .bytes = bytes_, .runs = std::move(runs_)});
}

}  // namespace trunkline::runtime
