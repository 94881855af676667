// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/grouped_costs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
  double latency_s = 0.0;
  double way_byte_s = 0.0;
  double byte_s = 0.0;
  for (const HostIndex host : placement) {
    const NodeId from = nodes[placement.front()];
    const NodeId meeting = paths.meeting(from, nodes[host]);
    latency_s = std::max(latency_s, paths.latency_s(from, nodes[host], meeting));
    way_byte_s = std::max(way_byte_s, paths.byte_s(from, nodes[host], meeting));
    byte_s = std::max(byte_s, paths.slowest_byte_s(from, nodes[host], meeting));
  }
  constexpr double collectives = 4.0;
  return collectives * group_costs(placement, byte_s, latency_s, way_byte_s, hosts).meeting_s;
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
  }
  costs.opens_s += agreement_s(paths, placement, hosts);
  const std::vector<TreeCosts::Work> shared = shared_links(paths, senders, between, costs.groups);
  for (Rank number = 0; number < between.size(); ++number) {
    if (number == between.root) continue;
    TreeCosts way = tree_costs_to(paths, senders, between, number, hosts);
    way.busiest.insert(way.busiest.end(), shared.begin(), shared.end());
    costs.groups[number].way = std::move(way);
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
    const double last_s = way ? way->seconds(message_bytes, segment_bytes) : 0.0;
    if (!within) {
      longest_s = std::max(longest_s, last_s);
      continue;
    }
    const double first_s = way ? way->seconds(first_bytes, segment_bytes) : 0.0;
    const double behind_last_s = way ? last_s + within->spread_s(first_bytes) : 0.0;
    longest_s = std::max(longest_s, std::max(behind_last_s, first_s + within->spread_s(message_bytes)) +
                                        within->besides_s(message_bytes));
    together_s += within->together_s(message_bytes);
  }
  return std::max(longest_s, together_s);
}

bool GroupedCosts::can_pay() const { return can_groups_pay(groups, &Group::within); }

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
  for (const TreeCosts& one : up) up_s = std::max(up_s, one.seconds(message_bytes, segment_bytes));
  const double between_s = between ? between->seconds(message_bytes, segment_bytes) : 0.0;
  double within_s = 0.0;
  double together_s = 0.0;
  for (const GroupedCosts::Group& group : down.groups) {
    if (!group.within) continue;
    within_s = std::max(within_s, group.within->seconds(message_bytes, segment_bytes));
    together_s += group.within->together_s(message_bytes);
  }
  return up_s + between_s + std::max(within_s, together_s);
}

namespace {

/// A group by itself, and a message of its first rank.
GroupedTurnCosts::Group group_costs_of(const Paths& paths, const Placement& placement, const MulticastGroup& group,
                                       Rank at_once, const HostCosts& hosts) {
  GroupedTurnCosts::Group costs{.ranks = static_cast<double>(group.ranks.size())};
  const auto size = static_cast<Rank>(group.ranks.size());
  if (size < 2) return costs;
  const Placement own = placement_of(placement, group.ranks);
  Multicast turns{.byte_s = group.byte_s, .order = by_number(size, 0), .at_once = std::min(at_once, size)};
  costs.turns = turn_costs(paths, own, turns, hosts);
  Multicast behind{.confirm = root_alone(size, 0), .byte_s = group.byte_s};
  for (Rank rank = 1; rank < size; ++rank) add_child(behind.confirm, 0, rank);
  costs.behind = multicast_costs(paths, own, behind, hosts);
  return costs;
}

}  // namespace

GroupedTurnCosts grouped_turn_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                                    const HostCosts& hosts) {
  const Cluster& cluster = paths.cluster();
  check_fit(cluster, placement, multicast.ranks(), multicast.root());
  GroupedTurnCosts costs;
  costs.hosts = hosts;
  costs.ranks = static_cast<double>(multicast.ranks());
  for (const MulticastGroup& group : multicast.groups) {
    costs.groups.push_back(group_costs_of(paths, placement, group, multicast.at_once, hosts));
    const auto& turns = costs.groups.back().turns;
    if (turns) costs.opens_s = std::max(costs.opens_s, turns->opening_s());
  }
  costs.opens_s += agreement_s(paths, placement, hosts);
  std::vector<double> blocks(cluster.channel_count(), 0.0);
  for (const MulticastGroup& from : multicast.groups) {
    for (const MulticastGroup& to : multicast.groups) {
      const NodeId sender = cluster.hosts()[placement[from.ranks.front()]];
      const NodeId receiver = cluster.hosts()[placement[to.ranks.front()]];
      if (sender == receiver) continue;
      costs.ways.push_back(way_between(paths, sender, receiver));
      for (const ChannelId channel : cluster.path(sender, receiver)) {
        blocks[channel] += static_cast<double>(from.ranks.size());
        costs.busiest_byte_s = std::max(costs.busiest_byte_s, blocks[channel] * paths.byte_s(channel));
      }
    }
  }
  return costs;
}

/// Of the longest one's blocks, which are cut into segments.
double GroupedTurnCosts::exchange_s(std::uint64_t block_bytes, std::uint64_t segment_bytes) const {
  if (groups.size() < 2) return 0.0;
  const auto largest = std::ranges::max_element(groups, {}, &Group::ranks);
  const std::uint64_t most = block_bytes * static_cast<std::uint64_t>(largest->ranks);
  const std::uint64_t segment = std::min(most, segment_bytes);
  const auto sends = static_cast<double>((groups.size() - 1) * pieces_of(most, segment));
  const double frame = static_cast<double>(std::min(wire_bytes(segment), frame_wire_bytes));
  double way_s = 0.0;
  for (const DatagramWay& way : ways) {
    way_s = std::max(way_s, hosts.trips(segment) * way.latency_s + way.frame_byte_s * frame);
  }
  const double on_wire =
      static_cast<double>(pieces_of(most, segment) * wire_bytes(segment)) / static_cast<double>(most);
  const double handled_s = 2.0 * sends * hosts.handling_s(segment);  // it receives as many as it sends
  const double wire_s = busiest_byte_s * static_cast<double>(block_bytes) * on_wire;
  return way_s + 2.0 * hosts.handling_s(segment) + std::max(handled_s, wire_s);
}

double GroupedTurnCosts::seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const {
  const std::uint64_t block = pieces_of(message_bytes, static_cast<std::uint64_t>(ranks));
  double turns_s = 0.0;
  double behind_s = 0.0;
  const auto add = [this](double& to, double one_s) {
    to = hosts.share_processors() ? to + one_s : std::max(to, one_s);
  };
  for (const Group& group : groups) {
    if (!group.turns) continue;
    const auto own = static_cast<std::uint64_t>(group.ranks);
    const std::uint64_t others = block * (static_cast<std::uint64_t>(ranks) - own);
    add(turns_s, group.turns->seconds(block * own, segment_bytes));
    if (others == 0) continue;
    const std::uint64_t pieces = pieces_of(datagrams_of(others), piece_datagrams(own));
    const double empty = static_cast<double>(pieces) * (group.ranks - 1.0);
    const GroupCosts& costs = group.turns->group;
    add(behind_s,
        group.behind->spread_s(others) +
            std::max(empty * static_cast<double>(datagram_overhead_bytes) * costs.byte_s, costs.hears_s(empty, 0.0)) +
            costs.hosts.together_s(empty * group.ranks / datagrams_of_a_message, 0.0));
  }
  return turns_s + exchange_s(block, segment_bytes) + behind_s;
}

}  // namespace trunkline
