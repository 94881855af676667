// SPDX-License-Identifier: Apache-2.0
// The order in which a plan combines operands: what calls ask of it, and what plans keep.
#pragma once

#include <cstdint>

#include "plan/collective.hpp"
#include "plan/plan.hpp"

namespace trunkline {

/// What a call asks for. Operations that do not commute need their operands by rank.
enum class OperandOrder : std::uint8_t { any, by_rank };

/// Whether operands can be combined by rank: below each rank of a tree there are ranks in a row, and each of its
/// children has a part of them. Plans of rounds combine by position. The plan has passed its check.
[[nodiscard]] bool keeps_rank_order(const Plan& plan);

/// Whether an element's operands are combined in the same order whatever the length of the message: several trees take
/// segments by turns, and of several blocks each goes its own way, but for shares, which are the program's.
[[nodiscard]] bool has_one_order(const Plan& plan, Collective collective);

}  // namespace trunkline
