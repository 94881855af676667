// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/grouped_costs.hpp"

#include <algorithm>

#include "kinds/multicast/datagram.hpp"
#include "kinds/multicast/groups.hpp"
#include "plan/checker.hpp"

namespace trunkline {
namespace {

/// Of links of senders that have others to send to as well: each carries its own group's datagrams besides.
std::vector<TreeCosts::Work> shared_links(const Paths& paths, const Placement& senders, const Tree& between,
                                          const std::vector<GroupedCosts::Group>& groups) {
  std::vector<TreeCosts::Work> works;
  const auto nodes = paths.cluster().hosts();
  for (Rank number = 0; number < between.size(); ++number) {
    if (!groups[number].within) continue;
    double sends = 0.0;
    double link_byte_s = 0.0;
    for (const Rank child : between.children[number]) {
      if (senders[child] == senders[number]) continue;
      ++sends;
      const auto path = paths.cluster().path(nodes[senders[number]], nodes[senders[child]]);
      link_byte_s = std::max(link_byte_s, paths.byte_s(path.front()));
    }
    if (sends > 0.0) works.push_back({.per_byte_s = (sends + 1.0) * link_byte_s});
  }
  return works;
}

}  // namespace

double agreement_s(const Paths& paths, const Placement& placement, const HostCosts& hosts) {
  const auto nodes = paths.cluster().hosts();
  LongestWay longest;
  double byte_s = 0.0;
  for (const HostIndex host : placement) {
    const NodeId from = nodes[placement.front()];
    const NodeId meeting = paths.meeting(from, nodes[host]);
    longest.latency_s = std::max(longest.latency_s, paths.latency_s(from, nodes[host], meeting));
    longest.byte_s = std::max(longest.byte_s, paths.byte_s(from, nodes[host], meeting));
    byte_s = std::max(byte_s, paths.slowest_byte_s(from, nodes[host], meeting));
  }
  constexpr double collectives = 4.0;
  return collectives * group_costs(placement, byte_s, longest, hosts).meeting_s;
}

GroupedCosts grouped_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                           const HostCosts& hosts) {
  check_fit(paths.cluster(), placement, multicast.ranks(), multicast.root());
  const Tree between = between_groups(multicast);
  Placement senders;
  GroupedCosts costs;
  costs.groups.resize(multicast.groups.size());
  for (Rank number = 0; number < between.size(); ++number) {
    const MulticastGroup& group = multicast.groups[number];
    senders.push_back(placement[group.ranks.front()]);
    if (group.ranks.size() < 2) continue;
    costs.groups[number].within =
        multicast_costs(paths, placement_of(placement, group.ranks), group_alone(multicast, group), hosts);
    costs.opens_s = std::max(costs.opens_s, costs.groups[number].within->opening_s());
    costs.hops += *costs.groups[number].within->network_transfers();
  }
  costs.opens_s += agreement_s(paths, placement, hosts);
  const std::vector<TreeCosts::Work> shared = shared_links(paths, senders, between, costs.groups);
  for (Rank number = 0; number < between.size(); ++number) {
    if (number == between.root) continue;
    TreeCosts way = tree_costs_to(paths, senders, between, number, hosts);
    way.busiest.insert(way.busiest.end(), shared.begin(), shared.end());
    costs.groups[number].way = std::move(way);
    if (senders[number] != senders[between.parent[number]]) ++costs.hops;
  }
  return costs;
}

void GroupedCosts::have_windows(double longest_hop_s, std::uint64_t in_flight_bytes) {
  for (Group& group : groups) {
    if (!group.way) continue;
    group.way->longest_hop_s = longest_hop_s;
    group.way->in_flight_bytes = in_flight_bytes;
  }
}

double GroupedCosts::seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const {
  const std::uint64_t first_bytes = std::min(message_bytes, segment_bytes);
  double longest_s = 0.0;
  double together_s = 0.0;
  for (const auto& [way, within] : groups) {
    const double last_s = way ? tree_seconds(*way, message_bytes, segment_bytes) : 0.0;
    if (!within) {
      longest_s = std::max(longest_s, last_s);
      continue;
    }
    const double first_s = way ? tree_seconds(*way, first_bytes, segment_bytes) : 0.0;
    const double behind_last_s = way ? last_s + within->spread_s(first_bytes) : 0.0;
    longest_s = std::max(longest_s, std::max(behind_last_s, first_s + within->spread_s(message_bytes)) +
                                        within->besides_s(message_bytes));
    together_s += within->together_s(message_bytes);
  }
  return std::max(longest_s, together_s);
}

bool GroupedCosts::can_pay() const { return can_groups_pay(groups, &Group::within); }

}  // namespace trunkline
