// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "execute/part.hpp"

namespace trunkline::runtime {

[[nodiscard]] std::unique_ptr<const LocalPart> shout_part(const Plan& plan, Rank rank, std::span<const int> members,
                                                          std::span<const HostIndex> hosts);

}  // namespace trunkline::runtime
