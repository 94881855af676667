// SPDX-License-Identifier: Apache-2.0
// Which class has this rank's part of a plan: one row for each kind of plan.
#pragma once

#include <memory>
#include <span>

#include "execute/part.hpp"

namespace trunkline::runtime {

/// Of the `rank`-th of the members, which are given by their ranks of the private communicator. `hosts`: of each of
/// them; empty: not known. Throws std::logic_error for a plan of a kind that nothing here runs.
[[nodiscard]] std::unique_ptr<const LocalPart> local_part(const Plan& plan, Rank rank, std::span<const int> members,
                                                          std::span<const HostIndex> hosts = {});

}  // namespace trunkline::runtime
