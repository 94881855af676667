// SPDX-License-Identifier: Apache-2.0
// An exchange whose blocks go straight on, in slices of them: all rounds for the first slice of each block, then all
// for the next one. So a rank that sends a long block does not wait for its acknowledgements: a connection begins each
// message with TCP's initial window, and meanwhile other connections send.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "patterns/block_schedule.hpp"

namespace trunkline::runtime {

class Sliced final : public BlockSchedule {
 public:
  /// `whole`: of `blocks` blocks; must outlive the object. Each of them becomes `slices` blocks, next to each other.
  Sliced(const BlockSchedule& whole, std::uint64_t blocks, std::uint64_t slices)
      : whole_(whole), blocks_(blocks), slices_(slices), rounds_(whole.rounds(blocks)) {
    bool waits = false;
    for (std::uint64_t round = 0; round < rounds_; ++round) {
      if (whole_.receive(round, blocks_)) received_.push_back(round);
      const auto sent = whole_.send(round, blocks_);
      if (!sent) continue;
      waits = waits || sent->needs != no_round;
      if (!waits) leading_.push_back(round);
    }
  }

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return blocks_ * slices_; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t /*blocks*/) const override { return rounds_ * slices_; }

  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    const std::uint64_t before = round - round % rounds_;
    auto transfer = whole_.send(round % rounds_, blocks_);
    if (!transfer) return transfer;
    if (transfer->needs != no_round) {
      transfer->needs += before;
    } else if (before > 0) {
      transfer->needs = needed_of_slice_before(round % rounds_, before - rounds_);
    }
    return sliced(*transfer, round);
  }

  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t /*blocks*/) const override {
    const auto transfer = whole_.receive(round % rounds_, blocks_);
    return transfer ? std::optional(sliced(*transfer, round)) : std::nullopt;
  }

 private:
  [[nodiscard]] BlockTransfer sliced(BlockTransfer transfer, std::uint64_t round) const {
    transfer.first = transfer.first * slices_ + round / rounds_;
    return transfer;
  }

  /// A rank is no further ahead of what it has received than within a slice.
  [[nodiscard]] std::uint64_t needed_of_slice_before(std::uint64_t round, std::uint64_t first_of_slice) const {
    const auto found = std::ranges::lower_bound(leading_, round);
    const auto left = static_cast<std::size_t>(leading_.end() - found);
    if (left == 0 || left > received_.size()) return no_round;
    return first_of_slice + received_[received_.size() - left];
  }

  const BlockSchedule& whole_;
  std::uint64_t blocks_;
  std::uint64_t slices_;
  std::uint64_t rounds_;
  std::vector<std::uint64_t> received_{};  ///< rounds in which blocks are received
  std::vector<std::uint64_t> leading_{};   ///< and those in which some are sent, before the first that waits
};

}  // namespace trunkline::runtime
