// SPDX-License-Identifier: Apache-2.0
// Exchanges between ranks in pairs take a power of two of them, others other numbers. Where there are more, the first
// ones go in pairs, and the second of each stands for both: it gets the other's operand first, and hands it the result
// at the end.
#pragma once

#include <bit>
#include <cstdint>

#include "network/placement.hpp"

namespace trunkline {

class Folding {
 public:
  /// Of the most that are a power of two. Throws std::invalid_argument where `position` is not below `ranks`.
  Folding(Rank ranks, Rank position) : Folding(ranks, std::bit_floor(ranks), position) {}
  /// So that `active` take part, half of the ranks at least. Throws as above.
  Folding(Rank ranks, Rank active, Rank position) : active_(active), pairs_(ranks - active), position_(position) {
    check_root(ranks, position);
  }

  /// How many take part.
  [[nodiscard]] Rank active() const noexcept { return active_; }
  /// Exchanges in pairs that reach all of them, a power of two: log2(active).
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
