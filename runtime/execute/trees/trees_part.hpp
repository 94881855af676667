// SPDX-License-Identifier: Apache-2.0
// This rank's part of a plan of trees: its place in trees that take segments by turns.
#pragma once

#include "execute/part.hpp"

namespace trunkline::runtime {

/// `hosts`: of the members; empty: not known.
[[nodiscard]] std::unique_ptr<const LocalPart> trees_part(const Plan& plan, Rank rank, std::span<const int> members,
                                                          std::span<const HostIndex> hosts);

}  // namespace trunkline::runtime
