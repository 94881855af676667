// SPDX-License-Identifier: Apache-2.0
// What such a plan is: who shouts, and how many hear it.
#pragma once

#include "network/placement.hpp"
#include "plan/plan.hpp"

namespace trunkline {

struct Shout {
  Rank ranks;
  Rank root;
};

[[nodiscard]] Plan plan_of(Shout shout);

/// Throws std::invalid_argument where the plan is of another kind.
[[nodiscard]] Shout shout_of(const Plan& plan);

}  // namespace trunkline
