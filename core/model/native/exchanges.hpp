// SPDX-License-Identifier: Apache-2.0
// Times of transfers between ranks by their numbers, as other libraries exchange them: rounds without a plan.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "model/transfer/round_cost.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

/// Transfers at once between ranks, each of the same part of the message; `times` rounds alike.
struct Exchange {
  std::vector<std::pair<Rank, Rank>> transfers{};  ///< from, to
  double part = 1.0;
  double times = 1.0;
  double reducing = 0.0;  ///< this part of those times receivers add what comes to their own
};

/// Each of them, those times over.
[[nodiscard]] std::vector<RoundCost> exchange_costs(const Paths& paths, const Placement& placement,
                                                    std::span<const Exchange> exchanges);

/// One exchange after another.
[[nodiscard]] RoundCost exchange_cost(const Paths& paths, const Placement& placement,
                                      std::span<const Exchange> exchanges);

/// A tree in which every rank sends the whole message to all its children at once, so that the copies share its
/// channels and end together: one round of each level. `reduces`: up the tree, each adds its children's.
[[nodiscard]] RoundCost level_cost(const Paths& paths, const Placement& placement, const Tree& tree,
                                   bool reduces = false);

}  // namespace trunkline
