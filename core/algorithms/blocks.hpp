// SPDX-License-Identifier: Apache-2.0
// Lays the algorithms that go by blocks: what lay() of the registry is to trees.
#pragma once

#include <memory>
#include <vector>

#include "algorithms/block_schedule.hpp"
#include "algorithms/registry.hpp"

namespace trunkline {

/// Of an algorithm that goes by blocks, the ranks by their position, the root first: over the switches where it needs a
/// cluster, else by rank number. Throws std::invalid_argument for any other algorithm, and where it needs a cluster and
/// `cluster` is null.
[[nodiscard]] std::vector<Rank> rank_order(const Algorithm& algorithm, const Cluster* cluster,
                                           const Placement& placement, Rank root);

/// What the rank at `position` does in it. Throws std::invalid_argument as rank_order() does.
[[nodiscard]] std::unique_ptr<const BlockSchedule> block_schedule(const Algorithm& algorithm, Rank ranks,
                                                                  Rank position);

}  // namespace trunkline
