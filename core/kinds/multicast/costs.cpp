// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/costs.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "kinds/multicast/datagram.hpp"
#include "model/transfer/wire.hpp"

namespace trunkline {
namespace {

double full_frame_s(const DatagramWay& way) { return way.seconds(static_cast<double>(frame_wire_bytes)); }

/// Until the root knows that all are done, from when the last rank has all: each one says so to its parent once its
/// children have, by an MPI message without data, and a rank takes those one after the other as they come. Where hosts
/// share processors, one message of each rank, and a report of it before.
double way_back(const Paths& paths, const Placement& placement, const Tree& confirm, const HostCosts& hosts) {
  const auto nodes = paths.cluster().hosts();
  const NodeId root = nodes[placement[confirm.root]];
  std::vector<double> done(confirm.size(), 0.0);
  double last = 0.0;
  for (Rank rank = 0; rank < confirm.size(); ++rank) {
    done[rank] = full_frame_s(way_between(paths, root, nodes[placement[rank]]));
    last = std::max(last, done[rank]);
  }
  std::vector<Rank> children_first = parents_first(confirm);
  std::ranges::reverse(children_first);
  std::vector<std::pair<double, double>> come;  // when, and what it takes
  double network = 0.0;
  double local = 0.0;
  for (const Rank rank : children_first) {
    const NodeId to = nodes[placement[rank]];
    come.clear();
    for (const Rank child : confirm.children[rank]) {
      const NodeId from = nodes[placement[child]];
      if (from == to) {
        come.emplace_back(done[child] + hosts.local_send_s, hosts.local_receive_s);
        ++local;
        continue;
      }
      ++network;
      const NodeId meeting = paths.meeting(from, to);
      come.emplace_back(done[child] + hosts.send_s + paths.latency_s(from, to, meeting) +
                            paths.byte_s(from, to, meeting) * static_cast<double>(wire_bytes(0)),
                        hosts.receive_s);
    }
    std::ranges::sort(come);
    for (const auto& [at_s, takes_s] : come) done[rank] = std::max(done[rank], at_s) + takes_s;
  }
  return done[confirm.root] - last + hosts.together_s(2.0 * network, 0.0, 2.0 * local);
}

using WaysByTime = std::map<double, DatagramWay>;  ///< by what a full frame takes

std::vector<DatagramWay> ascending(const WaysByTime& by_time) {
  std::vector<DatagramWay> ways;
  ways.reserve(by_time.size());
  for (const auto& [time_s, way] : by_time) ways.push_back(way);
  return ways;
}

/// At the slower one of pace and links, where the longest way is the last one.
GroupCosts costs_of_group(const Paths& paths, const Placement& placement, const Multicast& multicast,
                          const std::vector<DatagramWay>& ways, const HostCosts& hosts) {
  const double byte_s = std::max(multicast.byte_s, slowest_byte_s(paths, placement, multicast.root()));
  const DatagramWay longest = ways.empty() ? DatagramWay() : ways.back();
  return group_costs(placement, byte_s, longest.latency_s, byte_s + longest.frame_byte_s, hosts);
}

/// One datagram is a segment, whatever the message.
std::uint64_t longest_in_a_datagram() {
  return *(std::ranges::upper_bound(segment_sizes(), datagram_payload_bytes) - 1);
}

/// To each host but the root's: those that take a frame the same time are one.
std::vector<DatagramWay> ways_from(const Paths& paths, const Placement& placement, Rank root) {
  const auto nodes = paths.cluster().hosts();
  const NodeId from = nodes[placement[root]];
  WaysByTime by_time;
  for (Rank rank = 0; rank < placement.size(); ++rank) {
    if (rank == root) continue;
    DatagramWay way = way_between(paths, from, nodes[placement[rank]]);
    way.ranks = 1.0;
    const auto [known, is_new] = by_time.emplace(full_frame_s(way), way);
    if (!is_new) ++known->second.ranks;
  }
  std::vector<DatagramWay> ways = ascending(by_time);
  double beyond = 0.0;
  for (std::size_t i = ways.size(); i-- > 0;) beyond = ways[i].ranks += beyond;
  return ways;
}

}  // namespace

DatagramWay way_between(const Paths& paths, NodeId from, NodeId to) {
  if (from == to) return {};
  const NodeId meeting = paths.meeting(from, to);
  return {.latency_s = paths.latency_s(from, to, meeting),
          .frame_byte_s = std::max(0.0, paths.byte_s(from, to, meeting) - paths.slowest_byte_s(from, to, meeting))};
}

MulticastCosts multicast_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                               const HostCosts& hosts) {
  const Tree& confirm = multicast.confirm;
  check_fit(paths.cluster(), placement, confirm.size(), confirm.root);
  MulticastCosts costs;
  if (confirm.size() > 1) costs.ways = ways_from(paths, placement, confirm.root);
  costs.group = costs_of_group(paths, placement, multicast, costs.ways, hosts);
  costs.meets_s = costs.group.meeting_s / static_cast<double>(calls_between_meetings);
  costs.back_s = way_back(paths, placement, confirm, hosts);
  return costs;
}

double MulticastCosts::seconds(std::uint64_t message_bytes, std::uint64_t /*segment_bytes*/) const {
  if (group.ranks <= 1.0) return 0.0;
  return spread_s(message_bytes) + besides_s(message_bytes);
}

double MulticastCosts::besides_s(std::uint64_t message_bytes) const {
  return meets_s + (is_eager_multicast(message_bytes) ? 0.0 : back_s);
}

/// The first datagram is what receivers wake for.
double MulticastCosts::together_s(std::uint64_t bytes) const {
  const double receivers = group.ranks - 1.0;
  const double further = static_cast<double>(datagrams_of(bytes)) - 1.0;
  const auto longest = static_cast<double>(std::min(bytes, datagram_payload_bytes));
  return group.hosts.together_s(further * receivers / datagrams_of_a_message,
                                (static_cast<double>(bytes) - longest) * receivers);
}

double MulticastCosts::spread_s(std::uint64_t bytes) const {
  const HostCosts& hosts = group.hosts;
  const auto many = static_cast<double>(datagrams_of(bytes));
  const auto all = static_cast<double>(bytes);
  const auto longest = static_cast<double>(std::min(bytes, datagram_payload_bytes));
  const double wire_s = group.byte_s * static_cast<double>(datagram_wire_bytes(bytes));
  const double one_sent_s = group.sends_s(1.0, longest);
  const double one_heard_s = group.hears_s(1.0, longest);
  const double stored_bytes = longest + static_cast<double>(datagram_overhead_bytes);
  double way_s = 0.0;
  for (const DatagramWay& way : ways) {
    way_s = std::max(way_s, way.seconds(stored_bytes) + hosts.together_s(messages_of_a_wake * way.ranks, 0.0));
  }
  return std::max({std::max(wire_s, together_s(bytes)) + one_sent_s + one_heard_s,
                   group.sends_s(many, all) + one_heard_s, one_sent_s + group.hears_s(many, all)}) +
         way_s;
}

std::uint64_t MulticastCosts::best_segment(std::uint64_t /*message_bytes*/) const { return longest_in_a_datagram(); }

GroupCosts group_costs(const Placement& placement, double byte_s, double latency_s, double way_byte_s,
                       const HostCosts& hosts) {
  GroupCosts costs{.hosts = hosts, .byte_s = byte_s, .ranks = static_cast<double>(placement.size())};
  std::map<HostIndex, double> ranks_of_host;
  for (const HostIndex host : placement) ++ranks_of_host[host];
  costs.hosts_used = static_cast<double>(ranks_of_host.size());
  for (const auto& [host, ranks] : ranks_of_host) costs.most_a_host = std::max(costs.most_a_host, ranks);
  // By recursive doubling, each round as long as the longest way.
  const auto rounds = static_cast<double>(std::bit_width(placement.size() - 1));
  const double message_s = hosts.send_s + hosts.receive_s + latency_s + way_byte_s * static_cast<double>(wire_bytes(0));
  costs.meeting_s = rounds * message_s + hosts.together_s(rounds * costs.ranks, 0.0);
  return costs;
}

double GroupCosts::hears_s(double datagrams, double bytes) const {
  return datagrams * (hosts.datagram_receive_s + (most_a_host - 1.0) * hosts.datagram_rank_s) +
         bytes * hosts.datagram_receive_byte_s;
}

bool GroupCosts::can_pay() const {
  return hosts.multicasts_may_pay(static_cast<std::size_t>(hosts_used), byte_s, most_a_host);
}

double GroupCosts::opening_s() const {
  constexpr double collectives = 6.0;
  constexpr double bytes_of_a_rank = 256.0;  // its networks and addresses, on the wire
  constexpr double probes_s = 0.01;
  return collectives * meeting_s + ranks * bytes_of_a_rank * byte_s + probes_s;
}

namespace {

using HostRanks = std::map<HostIndex, double>;  ///< of each host that has some

HostIndex furthest_from(const Paths& paths, const HostRanks& all, HostIndex from) {
  const auto nodes = paths.cluster().hosts();
  std::pair<double, HostIndex> most{-1.0, from};
  for (const auto& [host, ranks] : all) {
    if (host != from) most = std::max(most, {full_frame_s(way_between(paths, nodes[from], nodes[host])), host});
  }
  return most.second;
}

/// Whoever waits longest: of the switch with fewest ranks, the host with fewest, and the ends of the longest way. In a
/// tree the host that is furthest from any one is such an end.
std::set<HostIndex> worst_listeners(const Paths& paths, const HostRanks& all) {
  const Cluster& cluster = paths.cluster();
  const auto switch_of = [&](HostIndex host) { return cluster.neighbours(cluster.hosts()[host]).front().to; };
  std::map<NodeId, double> at_switch;
  for (const auto& [host, ranks] : all) at_switch[switch_of(host)] += ranks;
  const auto lonely = std::ranges::min_element(
      all, {}, [&](const auto& one) { return std::pair(at_switch[switch_of(one.first)], one.second); });
  const HostIndex end = furthest_from(paths, all, all.begin()->first);
  return {lonely->first, end, furthest_from(paths, all, end)};
}

/// Into those hosts, by what a full frame takes.
std::vector<DatagramWay> ways_into_hosts(const Paths& paths, const Placement& placement) {
  const auto nodes = paths.cluster().hosts();
  HostRanks all;
  for (const HostIndex host : placement) ++all[host];
  WaysByTime by_time;
  for (const HostIndex to : worst_listeners(paths, all)) {
    std::map<double, DatagramWay, std::greater<>> own;
    for (const auto& [from, ranks] : all) {
      if (from == to) continue;
      const DatagramWay way = way_between(paths, nodes[to], nodes[from]);
      own.emplace(full_frame_s(way), way).first->second.ranks += ranks;
    }
    double further = 0.0;
    for (auto& [time_s, way] : own) {
      further = way.ranks += further;
      DatagramWay& known = by_time.emplace(time_s, way).first->second;
      known.ranks = std::max(known.ranks, way.ranks);
    }
  }
  return ascending(by_time);
}

}  // namespace

TurnCosts turn_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                     const HostCosts& hosts) {
  check_fit(paths.cluster(), placement, multicast.ranks(), multicast.root());
  TurnCosts costs;
  costs.at_once = static_cast<double>(multicast.at_once);
  costs.ways = ways_into_hosts(paths, placement);
  costs.group = costs_of_group(paths, placement, multicast, costs.ways, hosts);
  return costs;
}

double TurnCosts::seconds(std::uint64_t message_bytes, std::uint64_t /*segment_bytes*/) const {
  const double ranks = group.ranks;
  if (ranks <= 1.0) return 0.0;
  const HostCosts& hosts = group.hosts;
  const auto all = static_cast<std::uint64_t>(ranks);
  const std::uint64_t block = pieces_of(message_bytes, all);
  const std::uint64_t many = datagrams_of(block);
  const auto datagrams = static_cast<double>(many);
  const auto bytes = static_cast<double>(block);
  const auto longest = static_cast<double>(std::min(block, datagram_payload_bytes));
  const double longest_wire = longest + static_cast<double>(datagram_overhead_bytes);
  const double one_s = group.sends_s(1.0, longest) + group.hears_s(1.0, longest);
  const double nearest_s = ways.empty() ? 0.0 : ways.front().seconds(longest_wire);
  const double furthest_s = ways.empty() ? 0.0 : ways.back().seconds(longest_wire);
  const double sends_s = group.sends_s(datagrams, bytes);
  const double hears_s = group.hears_s((ranks - 1.0) * datagrams, (ranks - 1.0) * bytes);
  const double heard = ranks * (ranks - 1.0);
  const double together_s = hosts.together_s(heard * datagrams / datagrams_of_a_message, heard * bytes);
  double busy_s = std::max(sends_s + hears_s, together_s) + nearest_s;
  const double wire_s = group.byte_s * static_cast<double>(datagram_wire_bytes(block));
  for (const DatagramWay& way : ways) {
    busy_s = std::max(busy_s, way.ranks * wire_s + way.seconds(longest_wire) + one_s);
  }
  const std::uint64_t piece = std::min(piece_datagrams(all), many);
  if (many > piece) busy_s += nearest_s;
  // All wake for the first datagram.
  busy_s += hosts.together_s(messages_of_a_wake * (ranks - 1.0), 0.0);
  const double piece_s = ways.empty() ? 0.0 : group.byte_s * longest_wire * static_cast<double>(piece);
  const double pieces = std::max(ranks * static_cast<double>(pieces_of(many, piece)) / at_once, 1.0);
  return std::max(busy_s, pieces * (piece_s + furthest_s + one_s));
}

std::uint64_t TurnCosts::best_segment(std::uint64_t /*message_bytes*/) const { return longest_in_a_datagram(); }

ResultCosts result_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                         const HostCosts& hosts) {
  const std::span<const Tree> trees =
      multicast.reduce.empty() ? std::span(&multicast.confirm, 1) : std::span<const Tree>(multicast.reduce);
  ResultCosts costs;
  costs.up = tree_costs(paths, placement, trees, Direction::up, hosts);
  costs.up_and_down = tree_costs(paths, placement, trees, Direction::up_and_down, hosts);
  costs.down = multicast_costs(paths, placement, multicast, hosts);
  costs.down.back_s = costs.down.meets_s = 0.0;  // nobody confirms, and the call is a meeting itself
  return costs;
}

double ResultCosts::seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const {
  if (message_bytes > most_eager_bytes) return up_and_down.seconds(message_bytes, segment_bytes);
  const std::uint64_t last = message_bytes - (datagrams_of(message_bytes) - 1) * datagram_payload_bytes;
  const double wire_s = down.group.byte_s * static_cast<double>(datagram_wire_bytes(message_bytes));
  return std::max(up.seconds(message_bytes, segment_bytes), wire_s) + down.seconds(last, segment_bytes);
}

std::uint64_t ResultCosts::best_segment(std::uint64_t message_bytes) const {
  return (message_bytes > most_eager_bytes ? up_and_down : up).best_segment(message_bytes);
}

TimedSegment ResultCosts::fastest_segment(std::uint64_t message_bytes, const Cuts& cuts) const {
  if (message_bytes > most_eager_bytes) return up_and_down.fastest_segment(message_bytes, cuts);
  const std::uint64_t segment = up.fastest_segment(message_bytes, cuts).segment_bytes;
  return {.segment_bytes = segment, .seconds = seconds(message_bytes, segment)};
}

}  // namespace trunkline
