// SPDX-License-Identifier: Apache-2.0
// A rank's part of a multicast plan. All are of the `rank`-th of the members, which are given by their ranks of the
// private communicator.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "execute/part.hpp"
#include "kinds/multicast/multicast.hpp"

namespace trunkline::runtime {

/// It sends to all, or hears the one that does; or as those below.
[[nodiscard]] std::unique_ptr<const LocalPart> multicast_part(const Plan& plan, Rank rank,
                                                              std::span<const int> members);

/// It sends its share to all, and hears all others.
[[nodiscard]] std::unique_ptr<const LocalPart> turns_part(const Multicast& multicast, Rank rank,
                                                          std::span<const int> members);

/// In groups: docs/multicast.md, "In groups", and, of shares, "Shares in groups".
[[nodiscard]] std::unique_ptr<const LocalPart> grouped_part(const Multicast& multicast, Rank rank,
                                                            std::span<const int> members);
[[nodiscard]] std::unique_ptr<const LocalPart> grouped_turns_part(const Multicast& multicast, Rank rank,
                                                                  std::span<const int> members);

/// By rank: the lowest one of its group. Plans of other roots number the same groups otherwise.
[[nodiscard]] std::vector<Rank> lowest_of_groups(const Multicast& multicast);

}  // namespace trunkline::runtime
