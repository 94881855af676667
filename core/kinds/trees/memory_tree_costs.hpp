// SPDX-License-Identifier: Apache-2.0
// Times of pipelined trees whose ranks are all on one host.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collective/collective.hpp"
#include "model/transfer/host_costs.hpp"
#include "patterns/tree.hpp"
#include "plan/costs.hpp"

namespace trunkline {

/// How often a rank hands a segment on or takes one, serves further children with what it handed on, and combines.
struct MemorySteps {
  double hands = 0.0;
  double further = 0.0;
  double combines = 0.0;

  MemorySteps& operator+=(const MemorySteps& other);
};

struct MemoryTreeCosts final : CostFunction {
  std::vector<MemorySteps> ways;  ///< of the first segment, until the last rank has it
  std::vector<MemorySteps> work;  ///< of one rank for each further segment
  double start_s = 0.0;
  double combine_byte_s = 0.0;
  const MemorySpeeds* speeds = nullptr;  ///< lives as long as the process

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  /// As long as is copied: no longer than MemoryCosts::longest_segment.
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override;
};

/// Trees that take segments by turns: the first segment's longest way, then one segment after another through the
/// busiest rank. Time O(ranks).
[[nodiscard]] MemoryTreeCosts memory_tree_costs(std::span<const Tree> trees, Direction direction,
                                                const HostCosts& hosts);

}  // namespace trunkline
