// SPDX-License-Identifier: Apache-2.0
// Exchanges between ranks in pairs take a power of two of them. Where there are more, the first ones go in pairs, and
// the second of each stands for both: it gets the other's operand first, and hands it the result at the end.
#pragma once

#include <bit>
#include <cstdint>

#include "network/placement.hpp"

namespace trunkline {

class Folding {
 public:
  /// Throws std::invalid_argument where `position` is not below `ranks`.
  Folding(Rank ranks, Rank position) : active_(std::bit_floor(ranks)), pairs_(ranks - active_), position_(position) {
    check_root(ranks, position);
  }

  /// How many take part, a power of two.
  [[nodiscard]] Rank active() const noexcept { return active_; }
  /// Exchanges that reach all of them: log2(active).
  [[nodiscard]] std::uint64_t steps() const noexcept { return static_cast<std::uint64_t>(std::countr_zero(active_)); }
  /// Rounds before the exchanges, and as many after them.
  [[nodiscard]] std::uint64_t folds() const noexcept { return pairs_ > 0 ? 1 : 0; }

  /// Whether another one stands for this position.
  [[nodiscard]] bool stands_back() const noexcept { return position_ < 2 * pairs_ && position_ % 2 == 0; }
  /// Whether this position stands for the one before it.
  [[nodiscard]] bool stands_for_two() const noexcept { return position_ < 2 * pairs_ && position_ % 2 == 1; }

  /// This position's number among those that take part.
  [[nodiscard]] Rank number() const noexcept { return position_ < 2 * pairs_ ? position_ / 2 : position_ - pairs_; }
  /// The position of a number.
  [[nodiscard]] Rank position_of(Rank number) const noexcept {
    return number < pairs_ ? 2 * number + 1 : number + pairs_;
  }

 private:
  Rank active_;
  Rank pairs_;
  Rank position_;
};

}  // namespace trunkline
