// SPDX-License-Identifier: Apache-2.0
// The one table of what makes rounds from positions alone: plan files name a generator instead of listing transfers.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collective/collective.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline {

/// Levels of groups in which positions in a row may be nested.
inline constexpr std::size_t most_levels = 8;

/// Names for people of those whose rounds do what the collective promises; before some of them stand sizes of groups
/// (with_groups()). What makes an allreduce serves reduces and barriers too.
[[nodiscard]] std::vector<std::string_view> generators_of(Collective collective);

[[nodiscard]] bool is_generator(std::string_view text);

/// Whether it is one of generators_of(), with sizes of groups or without.
[[nodiscard]] bool is_generator_of(std::string_view text, Collective collective);

/// "16x6-mixed-radix": groups of 16 positions in a row, and six of those in each of the next level.
[[nodiscard]] std::string with_groups(std::span<const Rank> groups, std::string_view generator);

/// The schedules of `ranks` ranks. Throws std::invalid_argument where there is no such generator, or the ranks do not
/// make its groups.
[[nodiscard]] Schedules generate_schedules(std::string_view generator, Rank ranks);

/// The same schedules for who asks for most positions: what they have in common is made at first.
[[nodiscard]] Schedules sweep_schedules(std::string_view generator, Rank ranks);

}  // namespace trunkline
