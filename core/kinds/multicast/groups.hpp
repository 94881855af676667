// SPDX-License-Identifier: Apache-2.0
// Multicasts in groups: a message goes from the sender of one group to that of the next along the confirm tree, by
// messages, and each sends it to its own group at once.
#pragma once

#include <vector>

#include "kinds/multicast/multicast.hpp"
#include "network/placement.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

/// The proof: each rank is in one group; the sender of a group is the root, or has the message from the sender of
/// another group; each other rank reports to one of its own group. So, group by group along the confirm tree, every
/// rank gets it. Throws InvalidPlan.
void check_groups(const Multicast& multicast);

/// The same where each rank sends to its group by turn, and the first of each group sends what its group has to those
/// of all others, which send it to theirs: every rank is in one group, and the order is that of the groups, one after
/// another. Throws InvalidPlan.
void check_groups_by_turns(const Multicast& multicast);

/// By rank: the number of its group. The groups have passed their check.
[[nodiscard]] std::vector<Rank> group_of_ranks(const Multicast& multicast);

/// Who sends the message to whom by messages: the senders, by the numbers of their groups; two exchange where roots of
/// the confirm tree do.
[[nodiscard]] Tree between_groups(const Multicast& multicast);

/// A group as a multicast of its own: of its ranks by their places in it, the sender 0.
[[nodiscard]] Multicast group_alone(const Multicast& multicast, const MulticastGroup& group);

/// The hosts of these ranks.
[[nodiscard]] Placement placement_of(const Placement& all, const std::vector<Rank>& ranks);

}  // namespace trunkline
