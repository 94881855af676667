// SPDX-License-Identifier: Apache-2.0
// This rank's part of a multicast plan by turns: it sends its share to all, and hears all others.
#pragma once

#include "execute/part.hpp"
#include "kinds/multicast/multicast.hpp"

namespace trunkline::runtime {

[[nodiscard]] std::unique_ptr<const LocalPart> turns_part(const Multicast& multicast, Rank rank,
                                                          std::span<const int> members);

}  // namespace trunkline::runtime
