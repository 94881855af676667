// SPDX-License-Identifier: Apache-2.0
// A reduce-scatter that is an allgather the other way round: from the last round to the first, each rank sends sums of
// the blocks that it received there to who sent them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "patterns/block_schedule.hpp"

namespace trunkline {

/// In the allgather a block reaches each rank once, along a tree from its owner. Here the ranks' operands of the block
/// go up that tree, and each rank sends its sum once all below it have come. Costs what the allgather costs, and the
/// sums.
class Mirrored final : public BlockSchedule {
 public:
  static constexpr std::uint64_t most_looked_back = 64;

  /// `gather`: of one position; its blocks are fixed.
  explicit Mirrored(std::unique_ptr<const BlockSchedule> gather)
      : gather_(std::move(gather)), blocks_(*gather_->fixed_blocks()), rounds_(gather_->rounds(blocks_)) {}

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return blocks_; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t /*blocks*/) const override { return rounds_; }
  [[nodiscard]] std::uint64_t lanes() const override { return gather_->lanes(); }
  [[nodiscard]] bool alike_in_groups(Rank size) const override { return gather_->alike_in_groups(size); }
  [[nodiscard]] std::optional<PlacedGroups> placed_groups() const override { return gather_->placed_groups(); }
  [[nodiscard]] GroupRound group_round(std::uint64_t round) const override {
    GroupRound made = gather_->group_round(there(round));
    made.reduces = true;
    made.follows = round > 0 && made.mirrored_follows;
    return made;
  }
  [[nodiscard]] bool relays_in_order() const override { return false; }

  [[nodiscard]] std::vector<Recurring> recurring() const override {
    std::vector<Recurring> all = gather_->recurring();
    for (Recurring& one : all) one.round = there(one.round);
    return all;
  }

  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    std::optional<BlockTransfer> made = gather_->receive(there(round), blocks_);
    if (!made) return made;
    made->reduces = true;
    made->needs = last_before(round, *made);
    return made;
  }

  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    std::optional<BlockTransfer> made = gather_->send(there(round), blocks_);
    if (!made) return made;
    made->reduces = true;
    made->needs = no_round;
    return made;
  }

 private:
  [[nodiscard]] std::uint64_t there(std::uint64_t round) const { return rounds_ - 1 - round; }

  /// In which one of these blocks comes; or a later one. Who waits for a round waits for all before it, and of those so
  /// long ago nothing is under way any more: to look for them would take a time that grows with the square.
  [[nodiscard]] std::uint64_t last_before(std::uint64_t round, const BlockTransfer& blocks) const {
    const std::uint64_t end = round - std::min(round, most_looked_back);
    const std::uint64_t behind = there(end) + 1;
    const std::uint64_t sent = gather_->sent_next(there(round), behind, blocks.first, blocks.count);
    if (sent < behind) return there(sent);
    return end == 0 ? no_round : end - 1;
  }

  std::unique_ptr<const BlockSchedule> gather_;
  std::uint64_t blocks_;
  std::uint64_t rounds_;
};

}  // namespace trunkline
