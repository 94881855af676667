// SPDX-License-Identifier: Apache-2.0
// Rounds that are listed transfer by transfer, as people draw them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kinds/rounds/rounds.hpp"
#include "patterns/round_list.hpp"

namespace trunkline {

/// The same as a plan's rounds. Throws InvalidPlan, naming the round and the ranks, where a rank or a block is not
/// there, or a rank sends twice or receives twice in a round; whether it reaches everybody check_rounds() says.
[[nodiscard]] Rounds listed_rounds(Rank ranks, Rank root, const RoundList& list);

/// The same with blocks by positions in that order, the root first, each rank once; else they go by rank number.
[[nodiscard]] Rounds listed_rounds(std::vector<Rank> order, const RoundList& list);

/// The list of what all ranks do with a message of `blocks` blocks, in the first `most` rounds. Throws
/// std::invalid_argument where the rounds are of another number; none: theirs, which must be fixed.
[[nodiscard]] RoundList list_of(const Rounds& rounds, std::optional<std::uint64_t> blocks = {},
                                std::uint64_t most = no_round);

}  // namespace trunkline
