// SPDX-License-Identifier: Apache-2.0
// One plan for the reductions of every size, so that the order of operands never changes (TRUNKLINE_REPRODUCIBLE).
#pragma once

#include <string_view>

#include "choose/alternatives.hpp"
#include "collective/operand_order.hpp"

namespace trunkline {

/// Of the candidates with one order that go by messages, the algorithm that loses least: datagrams may not reach all
/// ranks, and another order would run then. For each size from 8 bytes to 16 MiB its time is
/// divided by that of the fastest candidate; the greatest of these ratios is what it loses. Without such candidates,
/// one that needs no cluster. Empty where nothing keeps the order: operands by rank, and another root than rank 0.
[[nodiscard]] std::string_view algorithm_of_one_order(const Alternatives* alternatives, Collective collective,
                                                      OperandOrder order, Rank root);

}  // namespace trunkline
