// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/kind.hpp"

namespace trunkline {

/// Each datagram goes to all ranks at once: a root's, which are confirmed along a tree, or those of each rank in turn.
extern const PlanKind multicast_kind;

}  // namespace trunkline
