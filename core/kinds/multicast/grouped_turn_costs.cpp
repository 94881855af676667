// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/grouped_turn_costs.hpp"

#include <algorithm>
#include <cmath>

#include "kinds/multicast/datagram.hpp"
#include "kinds/multicast/groups.hpp"
#include "plan/checker.hpp"

namespace trunkline {
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
      const NodeId meeting = paths.meeting(sender, receiver);
      const double slowest_byte_s = paths.slowest_byte_s(sender, receiver, meeting);
      costs.ways.push_back({.latency_s = paths.latency_s(sender, receiver, meeting),
                            .byte_s = slowest_byte_s,
                            .further_byte_s = paths.byte_s(sender, receiver, meeting) - slowest_byte_s});
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
  for (const Way& way : ways) {
    way_s = std::max(way_s, hosts.trips(segment) * way.latency_s + way.further_byte_s * frame);
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
