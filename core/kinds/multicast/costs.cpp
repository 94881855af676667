// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/costs.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "kinds/multicast/datagram.hpp"
#include "model/transfer/wire.hpp"

namespace trunkline {
namespace {

/// From the root's host to another one's.
MulticastCosts::Way way_from_root(const Paths& paths, NodeId from, NodeId to) {
  if (from == to) return {};
  const NodeId meeting = paths.meeting(from, to);
  return {.latency_s = paths.latency_s(from, to, meeting),
          .frame_byte_s = std::max(0.0, paths.byte_s(from, to, meeting) - paths.slowest_byte_s(from, to, meeting))};
}

double full_frame_s(const MulticastCosts::Way& way) {
  return way.latency_s + way.frame_byte_s * static_cast<double>(frame_wire_bytes);
}

/// Until the root knows that all are done, from when the last rank has all: each one says so to its parent once its
/// children have, by an MPI message without data, and a rank takes those one after the other as they come. Where hosts
/// share processors, one message of each rank, and a report of it before.
double way_back(const Paths& paths, const Placement& placement, const Tree& confirm, const HostCosts& hosts) {
  const auto nodes = paths.cluster().hosts();
  const NodeId root = nodes[placement[confirm.root]];
  std::vector<double> done(confirm.size(), 0.0);
  double last = 0.0;
  for (Rank rank = 0; rank < confirm.size(); ++rank) {
    done[rank] = full_frame_s(way_from_root(paths, root, nodes[placement[rank]]));
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

/// To each host but the root's: those that take a frame the same time are one.
std::vector<MulticastCosts::Way> ways_from(const Paths& paths, const Placement& placement, Rank root) {
  const auto nodes = paths.cluster().hosts();
  const NodeId from = nodes[placement[root]];
  std::map<double, MulticastCosts::Way> by_time;
  for (Rank rank = 0; rank < placement.size(); ++rank) {
    if (rank == root) continue;
    MulticastCosts::Way way = way_from_root(paths, from, nodes[placement[rank]]);
    way.receivers = 1.0;
    const auto [known, is_new] = by_time.emplace(full_frame_s(way), way);
    if (!is_new) ++known->second.receivers;
  }
  std::vector<MulticastCosts::Way> ways;
  ways.reserve(by_time.size());
  for (const auto& [time_s, way] : by_time) ways.push_back(way);
  double beyond = 0.0;
  for (std::size_t i = ways.size(); i-- > 0;) beyond = ways[i].receivers += beyond;
  return ways;
}

}  // namespace

MulticastCosts multicast_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                               const HostCosts& hosts) {
  const Tree& confirm = multicast.confirm;
  check_fit(paths.cluster(), placement, confirm.size(), confirm.root);
  MulticastCosts costs;
  const double byte_s = std::max(multicast.byte_s, slowest_byte_s(paths, placement, confirm.root));
  if (confirm.size() > 1) costs.ways = ways_from(paths, placement, confirm.root);
  LongestWay longest;
  if (!costs.ways.empty()) {
    const MulticastCosts::Way& way = costs.ways.back();
    longest = {.latency_s = way.latency_s, .byte_s = byte_s + way.frame_byte_s};
  }
  costs.group = group_costs(placement, byte_s, longest, hosts);
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
  for (const Way& way : ways) {
    const double woken_s = hosts.together_s(messages_of_a_wake * way.receivers, 0.0);
    way_s = std::max(way_s, way.latency_s + way.frame_byte_s * stored_bytes + woken_s);
  }
  return std::max({std::max(wire_s, together_s(bytes)) + one_sent_s + one_heard_s,
                   group.sends_s(many, all) + one_heard_s, one_sent_s + group.hears_s(many, all)}) +
         way_s;
}

std::uint64_t MulticastCosts::best_segment(std::uint64_t /*message_bytes*/) const {
  const auto sizes = segment_sizes();
  return *(std::ranges::upper_bound(sizes, datagram_payload_bytes) - 1);
}

}  // namespace trunkline
