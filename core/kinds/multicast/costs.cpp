// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/costs.hpp"

#include <algorithm>
#include <vector>

#include "kinds/multicast/datagram.hpp"
#include "model/transfer/wire.hpp"

namespace trunkline {
namespace {

/// Until the root knows that all are done, from when they are: an MPI message without data for each hop of the longest
/// way.
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
  return longest;
}

}  // namespace

MulticastCosts multicast_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                               const HostCosts& hosts) {
  const Tree& confirm = multicast.confirm;
  check_fit(paths.cluster(), placement, confirm.size(), confirm.root);
  MulticastCosts costs;
  costs.hosts = hosts;
  costs.byte_s = std::max(multicast.byte_s, slowest_byte_s(paths, placement, confirm.root));
  costs.receivers = static_cast<double>(confirm.size() - 1);
  costs.back_s = way_back(paths, placement, confirm, hosts);
  const auto nodes = paths.cluster().hosts();
  const NodeId root = nodes[placement[confirm.root]];
  double longest = -1.0;
  for (const HostIndex host : placement) {
    if (nodes[host] == root) continue;
    costs.uses_network = true;
    const NodeId meeting = paths.meeting(root, nodes[host]);
    const double latency_s = paths.latency_s(root, nodes[host], meeting);
    const double byte_s =
        std::max(0.0, paths.byte_s(root, nodes[host], meeting) - paths.slowest_byte_s(root, nodes[host], meeting));
    const double way = latency_s + byte_s * static_cast<double>(frame_wire_bytes);
    if (way <= longest) continue;
    longest = way;
    costs.latency_s = latency_s;
    costs.frame_byte_s = byte_s;
  }
  return costs;
}

double MulticastCosts::seconds(std::uint64_t message_bytes, std::uint64_t /*segment_bytes*/) const {
  if (receivers == 0.0) return 0.0;
  const std::uint64_t datagrams = datagrams_of(message_bytes);
  const std::uint64_t longest = std::min(message_bytes, datagram_payload_bytes);
  const auto many = static_cast<double>(datagrams);
  const auto bytes = static_cast<double>(message_bytes);
  const double wire_s = byte_s * static_cast<double>(datagram_wire_bytes(message_bytes));
  const double sender_s = many * hosts.send_s + bytes * hosts.send_byte_s;
  const double receiver_s = many * hosts.receive_s + bytes * hosts.receive_byte_s;
  const double together_s = hosts.together_s(many * receivers, bytes * receivers);
  const double stored_s = frame_byte_s * static_cast<double>(datagram_wire_bytes(longest));
  const double one_s = hosts.send_s + hosts.receive_s + 2.0 * hosts.handling_byte_s() * static_cast<double>(longest);
  return std::max({wire_s, sender_s, receiver_s, together_s}) + latency_s + stored_s + one_s + back_s;
}

std::uint64_t MulticastCosts::best_segment(std::uint64_t /*message_bytes*/) const {
  const auto sizes = segment_sizes();
  return *(std::ranges::upper_bound(sizes, datagram_payload_bytes) - 1);
}

TimedSegment MulticastCosts::fastest_segment(std::uint64_t message_bytes, const Cuts& /*cuts*/) const {
  const std::uint64_t segment = best_segment(message_bytes);
  return {.segment_bytes = segment, .seconds = seconds(message_bytes, segment)};
}

}  // namespace trunkline
