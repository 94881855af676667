// SPDX-License-Identifier: Apache-2.0
// The row of a kind of plan that is there for tests alone: a message that everybody hears at once.
#pragma once

#include "plan/kind.hpp"

namespace trunkline {

extern const PlanKind toy_kind;

}  // namespace trunkline
