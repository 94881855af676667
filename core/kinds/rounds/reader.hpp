// SPDX-License-Identifier: Apache-2.0
// The rounds of a plan file, from what people write to what the checker passes.
#pragma once

#include <optional>

#include "kinds/rounds/rounds.hpp"
#include "plan/kind.hpp"

namespace trunkline {

/// Largest product of ranks and blocks: each may have a transfer.
inline constexpr std::uint64_t most_blocks_of_all_ranks = 16'000'000;
/// The same of a reduction, times the ranks: whose operands are in each block is kept while it is checked.
inline constexpr std::uint64_t most_operands_of_all_ranks = 1'000'000'000;

/// Reads the mapping `rounds` of a plan: `generator` with `order`, the ranks by position (ranges such as 4-7 allowed);
/// or `blocks` with `transfers`, a list of rounds, each a list of {from: 0, to: 1, blocks: 0-3}, and `add: true` where
/// they are added up, `replace: true` where sums take the place of others. Empty where there is a fault. What it
/// returns has passed check_rounds(), but for that of a generator on many ranks.
[[nodiscard]] std::optional<Plan> read_rounds(const YamlNode& plan, const PlanHead& head, Faults& faults);

}  // namespace trunkline
