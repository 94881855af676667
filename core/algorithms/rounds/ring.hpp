// SPDX-License-Identifier: Apache-2.0
// Blocks that go round a ring of positions: everybody sends at once, each to the next one alone. In depth-first order
// over the switches no two transfers share a channel.
//
// Cost: (P - 1) T(m / P) for each time round (Patarasuk, Yuan 2009).
#pragma once

#include <cstdint>
#include <optional>

#include "network/placement.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline {

enum class RingTurns : std::uint8_t {
  reduce_scatter,  ///< a block is summed up on its way to the position of its own number
  allgather,       ///< and goes from there to all others
  allreduce,       ///< one after the other
};

/// One block for each rank. Time and space O(1).
template <RingTurns turns>
class Ring final : public BlockSchedule {
 public:
  /// Throws std::invalid_argument where `position` is not below `ranks`.
  Ring(Rank ranks, Rank position) : ranks_(ranks), position_(position) { check_root(ranks, position); }

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return ranks_; }

  [[nodiscard]] std::uint64_t rounds(std::uint64_t /*blocks*/) const override {
    return (turns == RingTurns::allreduce ? 2 : 1) * (ranks_ - 1);
  }

  [[nodiscard]] std::uint64_t alike(std::uint64_t round) const override { return rounds(ranks_) - round; }

  [[nodiscard]] bool is_ring() const override { return true; }

  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    return BlockTransfer{.peer = static_cast<Rank>((position_ + 1) % ranks_),
                         .first = block(position_, round),
                         .count = 1,
                         .needs = round == 0 ? no_round : round - 1,
                         .reduces = reduces(round)};
  }

  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    const std::uint64_t before = (position_ + ranks_ - 1) % ranks_;
    return BlockTransfer{
        .peer = static_cast<Rank>(before), .first = block(before, round), .count = 1, .reduces = reduces(round)};
  }

 private:
  [[nodiscard]] bool reduces(std::uint64_t round) const {
    return turns == RingTurns::reduce_scatter || (turns == RingTurns::allreduce && round < ranks_ - 1);
  }

  /// That a position sends in a round: of a sum, the block of the one before it first, so that its own comes last.
  [[nodiscard]] std::uint64_t block(std::uint64_t position, std::uint64_t round) const {
    const std::uint64_t lead = turns == RingTurns::allgather ? ranks_ : ranks_ - 1;
    return (position + lead + ranks_ - round % ranks_) % ranks_;
  }

  std::uint64_t ranks_;
  std::uint64_t position_;
};

}  // namespace trunkline
