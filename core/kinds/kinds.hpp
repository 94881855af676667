// SPDX-License-Identifier: Apache-2.0
// The kinds of plans: one row each. What a kind's plans are, its check, file form and cost stand in its own folder.
#pragma once

#include <span>

#include "plan/kind.hpp"

namespace trunkline {

/// All of them; the first is the one of a plan file that has no key of any kind.
[[nodiscard]] std::span<const PlanKind* const> kinds();

}  // namespace trunkline
