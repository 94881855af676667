// SPDX-License-Identifier: Apache-2.0
// Transfers of a segment between the hosts of trees: what each channel carries of all of them, and of those of a round.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "collective/collective.hpp"
#include "model/transfer/path_loads.hpp"
#include "network/paths.hpp"

namespace trunkline {

class TreeTransfers {
 public:
  TreeTransfers(const Paths& paths, Direction direction)
      : paths_(paths), direction_(direction), all_(paths), round_(paths), back_(paths) {}

  void begin_round() {
    round_.clear();
    back_.clear();
  }

  /// From a parent to its child; what goes up goes the other way.
  void add(NodeId parent, NodeId child) {
    round_.add(parent, child, 1.0);
    if (paths_.any_back()) back_.add(child, parent, 1.0);
    const bool goes_back = paths_.any_back() && direction_ == Direction::up;
    all_.add((goes_back ? back_ : round_).transfers().back());
  }

  void settle_round() {
    round_.settle();
    if (paths_.any_back()) back_.settle();
  }

  /// Of a transfer of the round, as its data go. What goes up and down takes twice the mean of both.
  [[nodiscard]] PathCost cost_of(std::size_t transfer) const {
    const bool goes_up = paths_.any_back() && direction_ != Direction::down;
    if (!goes_up) return round_.cost(round_.transfers()[transfer]);
    const PathCost up = backwards(transfer);
    if (direction_ == Direction::up) return up;
    const PathCost down = round_.cost(round_.transfers()[transfer]);
    return {.slowest_byte_s = std::midpoint(up.slowest_byte_s, down.slowest_byte_s),
            .byte_s = std::midpoint(up.byte_s, down.byte_s),
            .first_byte_s = std::midpoint(up.first_byte_s, down.first_byte_s),
            .latency_s = std::midpoint(up.latency_s, down.latency_s),
            .answer_s = std::midpoint(up.answer_s, down.answer_s)};
  }

  /// The same where data go both ways at once.
  [[nodiscard]] PathCost cost_of_exchange(std::size_t transfer) const {
    return slower(round_.cost(round_.transfers()[transfer]), paths_.any_back() ? backwards(transfer) : PathCost());
  }

  /// Of all rounds.
  [[nodiscard]] PathLoads& all() { return all_; }
  [[nodiscard]] const PathLoads& all() const { return all_; }

 private:
  /// Both at once.
  static PathCost slower(const PathCost& one, const PathCost& other) {
    return {.slowest_byte_s = std::max(one.slowest_byte_s, other.slowest_byte_s),
            .byte_s = std::max(one.byte_s, other.byte_s),
            .first_byte_s = std::max(one.first_byte_s, other.first_byte_s),
            .latency_s = std::max(one.latency_s, other.latency_s),
            .answer_s = std::max(one.answer_s, other.answer_s)};
  }

  /// From the child to its parent, at whose port transfers come one after another.
  [[nodiscard]] PathCost backwards(std::size_t transfer) const {
    PathCost up = back_.cost(back_.transfers()[transfer]);
    up.first_byte_s = back_.last_byte_s(back_.transfers()[transfer]);
    return up;
  }

  const Paths& paths_;
  Direction direction_;
  PathLoads all_;
  PathLoads round_;
  PathLoads back_;  ///< of the round, the other way; none where links are alike both ways
};

}  // namespace trunkline
