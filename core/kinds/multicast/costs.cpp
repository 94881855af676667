// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/costs.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "kinds/multicast/datagram.hpp"
#include "model/transfer/wire.hpp"

namespace trunkline {
namespace {

/// Where hosts share processors, a rank that sleeps until a datagram comes takes as much of them as so many messages.
/// On the lab 8 bytes took 50 us more for each receiver, where a message took 15 us (docs/results/multicast.md).
constexpr double messages_of_a_wake = 3.5;

/// A message costs shared processors three times what plain sockets do, and a datagram goes through plain sockets
/// (docs/results/message-cost.md).
constexpr double datagrams_of_a_message = 3.0;

/// Of a full frame's time on the wire, what it may take a host: drivers and interrupts come on top of what was measured
/// without a network.
constexpr double most_of_a_frame = 0.5;

/// Until the root knows that all are done, from when they are: an MPI message without data for each hop of the longest
/// way; where hosts share processors, one of each rank, and a report of it before.
double way_back(const Paths& paths, const Placement& placement, const Tree& confirm, const HostCosts& hosts) {
  const auto nodes = paths.cluster().hosts();
  std::vector<double> way(confirm.size(), 0.0);
  double longest = 0.0;
  for (const Rank rank : parents_first(confirm)) {
    const Rank parent = confirm.parent[rank];
    if (parent == no_rank) continue;
    const NodeId from = nodes[placement[rank]];
    const NodeId to = nodes[placement[parent]];
    const NodeId meeting = paths.meeting(from, to);
    way[rank] = way[parent] + hosts.send_s + hosts.receive_s + paths.latency_s(from, to, meeting) +
                paths.byte_s(from, to, meeting) * static_cast<double>(wire_bytes(0));
    longest = std::max(longest, way[rank]);
  }
  return longest + hosts.together_s(2.0 * static_cast<double>(confirm.size() - 1), 0.0);
}

/// To each host but the root's: those that take a frame the same time are one.
std::vector<MulticastCosts::Way> ways_from(const Paths& paths, const Placement& placement, Rank root) {
  const auto nodes = paths.cluster().hosts();
  const NodeId from = nodes[placement[root]];
  std::map<double, MulticastCosts::Way> by_time;
  for (Rank rank = 0; rank < placement.size(); ++rank) {
    if (rank == root) continue;
    MulticastCosts::Way way{.receivers = 1.0};
    if (const NodeId to = nodes[placement[rank]]; to != from) {
      const NodeId meeting = paths.meeting(from, to);
      way.latency_s = paths.latency_s(from, to, meeting);
      way.frame_byte_s = std::max(0.0, paths.byte_s(from, to, meeting) - paths.slowest_byte_s(from, to, meeting));
    }
    const double frame_s = way.latency_s + way.frame_byte_s * static_cast<double>(frame_wire_bytes);
    const auto [known, is_new] = by_time.emplace(frame_s, way);
    if (!is_new) ++known->second.receivers;
  }
  std::vector<MulticastCosts::Way> ways;
  ways.reserve(by_time.size());
  for (const auto& [frame_s, way] : by_time) ways.push_back(way);
  double beyond = 0.0;
  for (std::size_t i = ways.size(); i-- > 0;) beyond = ways[i].receivers += beyond;
  return ways;
}

/// By recursive doubling, each round as long as the longest way.
double meeting_time(const MulticastCosts& costs, std::size_t ranks) {
  const auto rounds = static_cast<double>(std::bit_width(ranks - 1));
  const MulticastCosts::Way& longest = costs.ways.back();
  const double message_s = costs.hosts.send_s + costs.hosts.receive_s + longest.latency_s +
                           (costs.byte_s + longest.frame_byte_s) * static_cast<double>(wire_bytes(0));
  return rounds * message_s + costs.hosts.together_s(rounds * static_cast<double>(ranks), 0.0);
}

}  // namespace

MulticastCosts multicast_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                               const HostCosts& hosts) {
  const Tree& confirm = multicast.confirm;
  check_fit(paths.cluster(), placement, confirm.size(), confirm.root);
  MulticastCosts costs;
  costs.hosts = hosts;
  costs.receivers = static_cast<double>(confirm.size() - 1);
  std::map<HostIndex, double> ranks_of_host;
  for (const HostIndex host : placement) ++ranks_of_host[host];
  costs.hosts_used = static_cast<double>(ranks_of_host.size());
  for (const auto& [host, ranks] : ranks_of_host) costs.most_a_host = std::max(costs.most_a_host, ranks);
  if (confirm.size() == 1) return costs;
  costs.byte_s = std::max(multicast.byte_s, slowest_byte_s(paths, placement, confirm.root));
  costs.ways = ways_from(paths, placement, confirm.root);
  costs.meeting_s = meeting_time(costs, confirm.size());
  costs.back_s = way_back(paths, placement, confirm, hosts);
  return costs;
}

double MulticastCosts::seconds(std::uint64_t message_bytes, std::uint64_t /*segment_bytes*/) const {
  if (receivers == 0.0) return 0.0;
  const auto many = static_cast<double>(datagrams_of(message_bytes));
  const auto bytes = static_cast<double>(message_bytes);
  const auto longest = static_cast<double>(std::min(message_bytes, datagram_payload_bytes));
  const double wire_s = byte_s * static_cast<double>(datagram_wire_bytes(message_bytes));
  const double sender_s = many * hosts.datagram_send_s + bytes * hosts.datagram_send_byte_s;
  const double receiver_s = many * (hosts.datagram_receive_s + (most_a_host - 1.0) * hosts.datagram_rank_s) +
                            bytes * hosts.datagram_receive_byte_s;
  // The first datagram is what receivers wake for.
  const double together_s =
      hosts.together_s((many - 1.0) * receivers / datagrams_of_a_message, (bytes - longest) * receivers);
  const double stored_bytes = longest + static_cast<double>(datagram_overhead_bytes);
  double way_s = 0.0;
  for (const Way& way : ways) {
    const double woken_s = hosts.together_s(messages_of_a_wake * way.receivers, 0.0);
    way_s = std::max(way_s, way.latency_s + way.frame_byte_s * stored_bytes + woken_s);
  }
  const double one_s = hosts.send_s + hosts.receive_s + 2.0 * hosts.handling_byte_s() * longest;
  return std::max({wire_s, sender_s, receiver_s, together_s}) + way_s + one_s +
         meeting_s / static_cast<double>(calls_between_meetings) + (is_eager_multicast(message_bytes) ? 0.0 : back_s);
}

std::uint64_t MulticastCosts::best_segment(std::uint64_t /*message_bytes*/) const {
  const auto sizes = segment_sizes();
  return *(std::ranges::upper_bound(sizes, datagram_payload_bytes) - 1);
}

TimedSegment MulticastCosts::fastest_segment(std::uint64_t message_bytes, const Cuts& /*cuts*/) const {
  const std::uint64_t segment = best_segment(message_bytes);
  return {.segment_bytes = segment, .seconds = seconds(message_bytes, segment)};
}

bool MulticastCosts::can_pay() const {
  constexpr double least_hosts = 3.0;
  constexpr auto payload = static_cast<double>(datagram_payload_bytes);
  const double sender_s = hosts.datagram_send_s + payload * hosts.datagram_send_byte_s;
  const double receiver_s =
      hosts.datagram_receive_s + payload * hosts.datagram_receive_byte_s + (most_a_host - 1.0) * hosts.datagram_rank_s;
  const double frame_s = byte_s * static_cast<double>(frame_wire_bytes);
  return hosts_used >= least_hosts && std::max(sender_s, receiver_s) <= most_of_a_frame * frame_s;
}

double MulticastCosts::opening_s() const {
  constexpr double collectives = 6.0;
  constexpr double bytes_of_a_rank = 256.0;  // its networks and addresses, on the wire
  constexpr double probes_s = 0.01;
  return collectives * meeting_s + (receivers + 1.0) * bytes_of_a_rank * byte_s + probes_s;
}

}  // namespace trunkline
