// SPDX-License-Identifier: Apache-2.0
// A rank's part of a multicast in groups: docs/multicast.md, "In groups".
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "execute/part.hpp"
#include "kinds/multicast/multicast.hpp"

namespace trunkline::runtime {

/// By rank: the lowest one of its group. Plans of other roots number the same groups otherwise.
[[nodiscard]] std::vector<Rank> lowest_of_groups(const Multicast& multicast);

/// Of the `rank`-th of the members, which are given by their ranks of the private communicator.
[[nodiscard]] std::unique_ptr<const LocalPart> grouped_part(const Multicast& multicast, Rank rank,
                                                            std::span<const int> members);

}  // namespace trunkline::runtime
