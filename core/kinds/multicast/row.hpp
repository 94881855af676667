// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/kind.hpp"

namespace trunkline {

/// Each datagram goes to all ranks at once, and is confirmed along a tree.
extern const PlanKind multicast_kind;

}  // namespace trunkline
