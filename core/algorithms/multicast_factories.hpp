// SPDX-License-Identifier: Apache-2.0
// What lays the multicasts of the registry's rows.
#pragma once

#include "algorithms/ground.hpp"
#include "plan/plan.hpp"

namespace trunkline {

[[nodiscard]] Plan lay_multicast(const Ground& on);
/// A group in each site, and messages between them.
[[nodiscard]] Plan lay_by_sites_multicast(const Ground& on);

}  // namespace trunkline
