// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/kind.hpp"

namespace trunkline {

/// Segments go down one tree, or down several by turns.
extern const PlanKind trees_kind;

}  // namespace trunkline
