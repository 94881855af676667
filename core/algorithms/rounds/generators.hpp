// SPDX-License-Identifier: Apache-2.0
// What makes rounds from an order of ranks alone: plan files name one instead of listing every transfer. The table of
// them stands with the algorithms.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kinds/rounds/rounds.hpp"

namespace trunkline {

[[nodiscard]] std::span<const std::string_view> generators();

/// `order`: ranks by position, the root first. Throws std::invalid_argument where there is no such generator.
[[nodiscard]] Rounds generate_rounds(std::string_view generator, std::vector<Rank> order);

}  // namespace trunkline
