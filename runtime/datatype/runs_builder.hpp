// SPDX-License-Identifier: Apache-2.0
// Collects the runs of a node and joins those that touch each other in memory.
#pragma once

#include "datatype/layout.hpp"

namespace trunkline::runtime {

class RunsBuilder {
 public:
  explicit RunsBuilder(Layout& layout) : layout_(layout) {}

  /// `count` elements `child`, `stride` bytes apart, the first one at `displacement`.
  void add(std::int64_t displacement, std::uint64_t count, std::int64_t stride, NodeIndex child);

  /// The node of everything added. Nothing, or one piece of memory, is no list of runs.
  [[nodiscard]] NodeIndex finish();

 private:
  Layout& layout_;
  std::uint64_t bytes_ = 0;
  std::vector<Run> runs_;
};

}  // namespace trunkline::runtime
