// SPDX-License-Identifier: Apache-2.0
// An alltoall in which each position sends to those further and further behind, one after another, so that no two send
// to the same one at a time.
//
// Cost: (P - 1) T(m), times the channel load.
#pragma once

#include <cstdint>
#include <optional>

#include "network/placement.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline {

/// Of exchanges that go in step: as many blocks more than it has received, since it began to send, a rank may have
/// sent. With fewer links rest where blocks are of different lengths; more need shorter slices, and gain little
/// (docs/results/alltoall.md).
inline constexpr std::uint64_t pair_lead = 3;

/// A block for each pair of positions: first those of position 0 for all, then those of position 1. All go in step: in
/// a round a position waits for what came `pair_lead` rounds before, so of each rank that many blocks are under way.
/// Time and space O(1).
class PairRing final : public BlockSchedule {
 public:
  /// Throws std::invalid_argument where `position` is not below `ranks`.
  PairRing(Rank ranks, Rank position) : ranks_(ranks), position_(position) { check_root(ranks, position); }

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return ranks_ * ranks_; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t /*blocks*/) const override { return ranks_ - 1; }

  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    const std::uint64_t to = (position_ + round + 1) % ranks_;
    return BlockTransfer{.peer = static_cast<Rank>(to),
                         .first = position_ * ranks_ + to,
                         .count = 1,
                         .needs = round < pair_lead ? no_round : round - pair_lead};
  }

  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    const std::uint64_t from = (position_ + ranks_ - round - 1) % ranks_;
    return BlockTransfer{.peer = static_cast<Rank>(from), .first = from * ranks_ + position_, .count = 1};
  }

 private:
  std::uint64_t ranks_;
  std::uint64_t position_;
};

}  // namespace trunkline
