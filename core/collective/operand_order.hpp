// SPDX-License-Identifier: Apache-2.0
// The order in which a reduction combines operands: what a call asks for.
#pragma once

#include <cstdint>

namespace trunkline {

/// What a call asks for. Operations that do not commute need their operands by rank.
enum class OperandOrder : std::uint8_t { any, by_rank };

}  // namespace trunkline
