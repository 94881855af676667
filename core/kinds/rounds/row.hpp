// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/kind.hpp"

namespace trunkline {

/// Blocks reach each rank from several others, round by round.
extern const PlanKind rounds_kind;

}  // namespace trunkline
