// SPDX-License-Identifier: Apache-2.0
// Plans by rounds: blocks reach each rank from several others, moved or added up on their way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "patterns/block_schedule.hpp"
#include "plan/checker.hpp"
#include "plan/plan.hpp"

namespace trunkline {

/// Rounds of transfers, as functions of position and round: listing them all would take space in ranks squared.
struct Rounds {
  std::vector<Rank> order;  ///< ranks by position, the root first
  Schedules schedule_of;
  std::string generator{};     ///< what made them from the order; empty: listed by hand
  std::uint64_t lead = 0;      ///< of listed ones: RoundList::lead
  bool goes_straight = false;  ///< of an exchange of pairs: each block goes from its own rank to the one that it is for
};

/// Of a generator (algorithms/rounds/generators.hpp) over an order, the root first. Throws std::invalid_argument where
/// there is no such generator, or it cannot lay that number of ranks.
[[nodiscard]] Rounds generate_rounds(std::string_view generator, std::vector<Rank> order);

[[nodiscard]] Plan plan_of(Rounds rounds);

/// Null where the plan is of another kind.
[[nodiscard]] const Rounds* find_rounds(const Plan& plan);

/// Throws std::invalid_argument where the plan is of another kind.
[[nodiscard]] const Rounds& rounds_of(const Plan& plan);

/// Throws InvalidPlan where the collective goes by rank number, and positions are other ones.
void check_order(const Rounds& rounds, Collective collective);

/// The same, and replays all ranks. Throws InvalidPlan naming round and rank where a block is sent that is not there,
/// arrives twice or never, an operand is added twice or never, or the two sides of a transfer disagree; and at the end,
/// a rank that lacks what the collective promises. Time and space O(ranks * blocks), times the ranks where operands are
/// added.
void check_rounds(const Rounds& rounds, Collective collective = Collective::bcast);

/// The most transfers that share a channel in any round.
[[nodiscard]] Contention contention_of(const Cluster& cluster, const Placement& placement, const Rounds& rounds,
                                       std::size_t most = 8);

/// Appends the part of a plan file that lists the transfers of each round.
void write_rounds(std::string& yaml, const Rounds& rounds);

}  // namespace trunkline
