// SPDX-License-Identifier: Apache-2.0
// This rank's part of a plan of rounds: its position in rounds.
#pragma once

#include "execute/part.hpp"

namespace trunkline::runtime {

[[nodiscard]] std::unique_ptr<const LocalPart> rounds_part(const Plan& plan, Rank rank, std::span<const int> members);

}  // namespace trunkline::runtime
