// SPDX-License-Identifier: Apache-2.0
// An allgather in which each position sends its block to all others itself, so that nothing waits for the way to a
// third one: for few positions that are far from each other.
//
// Cost: the longest way, and (P - 1) T(m / P) on each position's own link.
#pragma once

#include <cstdint>
#include <optional>

#include "network/placement.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline {

/// One block for each rank. Time and space O(1).
class Direct final : public BlockSchedule {
 public:
  /// Throws std::invalid_argument where `position` is not below `ranks`.
  Direct(Rank ranks, Rank position) : ranks_(ranks), position_(position) { check_root(ranks, position); }

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return ranks_; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t /*blocks*/) const override { return ranks_ - 1; }

  /// In each round to one that is further behind, so that no two send to the same one.
  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    return BlockTransfer{.peer = static_cast<Rank>((position_ + round + 1) % ranks_), .first = position_, .count = 1};
  }

  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    const std::uint64_t before = (position_ + ranks_ - round - 1) % ranks_;
    return BlockTransfer{.peer = static_cast<Rank>(before), .first = before, .count = 1};
  }

 private:
  std::uint64_t ranks_;
  std::uint64_t position_;
};

}  // namespace trunkline
