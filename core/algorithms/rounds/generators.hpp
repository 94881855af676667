// SPDX-License-Identifier: Apache-2.0
// The one table of what makes rounds from positions alone: plan files name a generator instead of listing transfers.
#pragma once

#include <span>
#include <string_view>

#include "patterns/block_schedule.hpp"

namespace trunkline {

[[nodiscard]] std::span<const std::string_view> generators();

/// Of so many ranks. Throws std::invalid_argument where there is no such generator.
[[nodiscard]] Schedules generate_schedules(std::string_view generator, Rank ranks);

}  // namespace trunkline
