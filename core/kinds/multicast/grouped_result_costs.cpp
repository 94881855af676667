// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/grouped_result_costs.hpp"

#include <algorithm>
#include <utility>

#include "kinds/multicast/groups.hpp"

namespace trunkline {

GroupedResultCosts grouped_result_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                                        const HostCosts& hosts) {
  GroupedResultCosts costs;
  Multicast message = multicast;  // the costs of ways to senders are those of a broadcast
  message.confirm.exchange = no_rank;
  costs.down = grouped_costs(paths, placement, message, hosts);
  Placement senders;
  for (const MulticastGroup& group : multicast.groups) {
    senders.push_back(placement[group.ranks.front()]);
    if (group.ranks.size() < 2) continue;
    const Multicast alone = group_alone(multicast, group);
    costs.up.push_back(tree_costs(paths, placement_of(placement, group.ranks), alone.confirm, Direction::up, hosts));
  }
  const Tree between = between_groups(multicast);
  if (between.size() > 1) costs.between = tree_costs(paths, senders, between, Direction::up_and_down, hosts);
  return costs;
}

double GroupedResultCosts::seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const {
  double up_s = 0.0;
  for (const TreeCosts& one : up) up_s = std::max(up_s, tree_seconds(one, message_bytes, segment_bytes));
  const double between_s = between ? tree_seconds(*between, message_bytes, segment_bytes) : 0.0;
  double within_s = 0.0;
  double together_s = 0.0;
  for (const GroupedCosts::Group& group : down.groups) {
    if (!group.within) continue;
    within_s = std::max(within_s, group.within->seconds(message_bytes, segment_bytes));
    together_s += group.within->together_s(message_bytes);
  }
  return up_s + between_s + std::max(within_s, together_s);
}

}  // namespace trunkline
