// SPDX-License-Identifier: Apache-2.0
// Shares from a root, or to it, along a binomial tree over positions: each rank hands on, or collects, what belongs to
// the positions behind it in a row. Depth first over the switches most of that stays near.
//
// Cost: T(m (P - 1) / P) on the root's link, and log2(P) T(0): the longest transfers go first from the root, and come
// last to it, so while one is handed on its link is busy with the next one.
#pragma once

#include <cstdint>
#include <optional>

#include "algorithms/rounds/scatter.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline {

/// One block for each rank; log2(P) rounds. `gathers`: the rounds of the scatter from the last to the first, the other
/// way round. Time and space O(1).
template <bool gathers>
class RootBinomial final : public BlockSchedule {
 public:
  /// Throws std::invalid_argument where `position` is not below `ranks`.
  RootBinomial(Rank ranks, Rank position) : scatter_(ranks, position) {}

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return scatter_.ranks(); }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t /*blocks*/) const override { return scatter_.round_count(); }

  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    if constexpr (!gathers) return scatter_.send(round);
    std::optional<BlockTransfer> sent = scatter_.receive(there(round));
    // What comes from its subtree comes in the rounds before. Who has none waits for nothing.
    if (sent) sent->needs = round > 0 ? round - 1 : no_round;
    return sent;
  }

  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    if constexpr (!gathers) return scatter_.receive(round);
    std::optional<BlockTransfer> received = scatter_.send(there(round));
    if (received) received->needs = no_round;
    return received;
  }

 private:
  [[nodiscard]] std::uint64_t there(std::uint64_t round) const { return scatter_.round_count() - 1 - round; }

  Scatter scatter_;
};

}  // namespace trunkline
