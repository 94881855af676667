// SPDX-License-Identifier: Apache-2.0
// This rank's part of a multicast plan: it sends to all, or hears the one that does.
#pragma once

#include "execute/part.hpp"

namespace trunkline::runtime {

[[nodiscard]] std::unique_ptr<const LocalPart> multicast_part(const Plan& plan, Rank rank,
                                                              std::span<const int> members);

}  // namespace trunkline::runtime
