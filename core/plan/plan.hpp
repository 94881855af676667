// SPDX-License-Identifier: Apache-2.0
// How one collective runs on one communicator: one value for every kind of algorithm.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "plan/block_schedule.hpp"
#include "plan/tree.hpp"

namespace trunkline {

/// That take segments by turns: segment i goes down tree i mod so many.
using Trees = std::vector<Tree>;

/// Rounds of transfers, as functions of position and round: listing them all would take space in ranks squared.
struct Rounds {
  std::vector<Rank> order;  ///< ranks by position, the root first
  /// What the rank at a position does; throws std::invalid_argument where there is no such position.
  std::function<std::unique_ptr<const BlockSchedule>(Rank position)> schedule_of;
  std::string generator{};  ///< what made them from the order; empty: listed by hand
};

struct Plan {
  std::variant<Trees, Rounds> steps;

  /// Null where the plan is of the other kind.
  [[nodiscard]] const Trees* trees() const { return std::get_if<Trees>(&steps); }
  [[nodiscard]] const Rounds* rounds() const { return std::get_if<Rounds>(&steps); }

  [[nodiscard]] std::size_t ranks() const {
    return rounds() != nullptr ? rounds()->order.size() : trees()->front().size();
  }
  [[nodiscard]] Rank root() const { return rounds() != nullptr ? rounds()->order.front() : trees()->front().root; }
};

}  // namespace trunkline
