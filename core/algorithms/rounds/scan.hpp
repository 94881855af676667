// SPDX-License-Identifier: Apache-2.0
// What the operands up to each position make, the whole vector each time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "network/placement.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline {

/// From position to position. Pieces follow each other: (X + P - 2) T(m/X) of X pieces.
class ScanLine final : public TwoSided {
 public:
  /// Throws std::invalid_argument where `position` is not below `ranks`.
  ScanLine(Rank ranks, Rank position) : ranks_(ranks), position_(position) { check_root(ranks, position); }
  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return 1; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t /*blocks*/) const override { return ranks_ - 1; }
  [[nodiscard]] bool is_line() const override { return true; }

 private:
  [[nodiscard]] std::optional<BlockTransfer> transfer(std::uint64_t round, std::uint64_t /*blocks*/,
                                                      bool sends) const override {
    if (round + (sends ? 0 : 1) != position_) return {};
    return BlockTransfer{.peer = sends ? position_ + 1 : position_ - 1,
                         .first = 0,
                         .count = 1,
                         .needs = sends && position_ > 0 ? round - 1 : no_round,
                         .reduces = true};
  }

  Rank ranks_;
  Rank position_;
};

/// To the position 1, 2, 4, ... further, which has nothing of that yet: log2(P) T(m), the fewest rounds there are
/// (Hillis, Steele 1986, "Data parallel algorithms").
class ScanDoubling final : public TwoSided {
 public:
  /// Throws std::invalid_argument where `position` is not below `ranks`.
  ScanDoubling(Rank ranks, Rank position) : ranks_(ranks), position_(position) { check_root(ranks, position); }
  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return 1; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t /*blocks*/) const override { return std::bit_width(ranks_ - 1); }
  [[nodiscard]] bool sums_once() const override { return false; }

 private:
  [[nodiscard]] std::optional<BlockTransfer> transfer(std::uint64_t round, std::uint64_t /*blocks*/,
                                                      bool sends) const override {
    const Rank distance = Rank{1} << round;
    if (sends ? position_ + distance >= ranks_ : position_ < distance) return {};
    // It has received in each round whose distance is not above its position.
    const std::uint64_t received = std::min<std::uint64_t>(round, std::bit_width(position_));
    return BlockTransfer{.peer = sends ? position_ + distance : position_ - distance,
                         .first = 0,
                         .count = 1,
                         .needs = sends && received > 0 ? received - 1 : no_round,
                         .reduces = true};
  }

  Rank ranks_;
  Rank position_;
};

}  // namespace trunkline
