// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/turn_costs.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "kinds/multicast/datagram.hpp"
#include "model/transfer/wire.hpp"

namespace trunkline {
namespace {

double frame_s(const TurnCosts::Way& way) {
  return way.latency_s + way.frame_byte_s * static_cast<double>(frame_wire_bytes);
}

TurnCosts::Way way_between(const Paths& paths, HostIndex from, HostIndex to) {
  const auto nodes = paths.cluster().hosts();
  const NodeId meeting = paths.meeting(nodes[from], nodes[to]);
  const double byte_s = paths.byte_s(nodes[from], nodes[to], meeting);
  return {.latency_s = paths.latency_s(nodes[from], nodes[to], meeting),
          .frame_byte_s = std::max(0.0, byte_s - paths.slowest_byte_s(nodes[from], nodes[to], meeting))};
}

using HostRanks = std::map<HostIndex, double>;  ///< of each host that has some

HostIndex furthest_from(const Paths& paths, const HostRanks& all, HostIndex from) {
  std::pair<double, HostIndex> most{-1.0, from};
  for (const auto& [host, ranks] : all) {
    if (host != from) most = std::max(most, {frame_s(way_between(paths, from, host)), host});
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
std::vector<TurnCosts::Way> ways_into_hosts(const Paths& paths, const Placement& placement) {
  HostRanks all;
  for (const HostIndex host : placement) ++all[host];
  std::map<double, TurnCosts::Way> by_time;
  for (const HostIndex to : worst_listeners(paths, all)) {
    std::map<double, TurnCosts::Way, std::greater<>> own;
    for (const auto& [from, ranks] : all) {
      if (from == to) continue;
      const TurnCosts::Way way = way_between(paths, to, from);
      own.emplace(frame_s(way), way).first->second.ranks += ranks;
    }
    double further = 0.0;
    for (auto& [time_s, way] : own) {
      further = way.ranks += further;
      TurnCosts::Way& known = by_time.emplace(time_s, way).first->second;
      known.ranks = std::max(known.ranks, way.ranks);
    }
  }
  std::vector<TurnCosts::Way> ways;
  ways.reserve(by_time.size());
  for (const auto& [time_s, way] : by_time) ways.push_back(way);
  return ways;
}

}  // namespace

TurnCosts turn_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                     const HostCosts& hosts) {
  check_fit(paths.cluster(), placement, multicast.ranks(), multicast.root());
  TurnCosts costs;
  costs.at_once = static_cast<double>(multicast.at_once);
  costs.ways = ways_into_hosts(paths, placement);
  const double byte_s = std::max(multicast.byte_s, slowest_byte_s(paths, placement, multicast.root()));
  LongestWay longest{.latency_s = 0.0, .byte_s = byte_s};
  if (!costs.ways.empty()) {
    longest = {.latency_s = costs.ways.back().latency_s, .byte_s = byte_s + costs.ways.back().frame_byte_s};
  }
  costs.group = group_costs(placement, byte_s, longest, hosts);
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
  const auto way_s = [&](const Way& way) { return way.latency_s + way.frame_byte_s * longest_wire; };
  const Way nearest = ways.empty() ? Way{} : ways.front();
  const Way furthest = ways.empty() ? Way{} : ways.back();
  const double sends_s = group.sends_s(datagrams, bytes);
  const double hears_s = group.hears_s((ranks - 1.0) * datagrams, (ranks - 1.0) * bytes);
  const double heard = ranks * (ranks - 1.0);
  const double together_s = hosts.together_s(heard * datagrams / datagrams_of_a_message, heard * bytes);
  double busy_s = std::max(sends_s + hears_s, together_s) + way_s(nearest);
  const double wire_s = group.byte_s * static_cast<double>(datagram_wire_bytes(block));
  for (const Way& way : ways) busy_s = std::max(busy_s, way.ranks * wire_s + way_s(way) + one_s);
  const std::uint64_t piece = std::min(piece_datagrams(all), many);
  if (many > piece) busy_s += way_s(nearest);
  // All wake for the first datagram.
  busy_s += hosts.together_s(messages_of_a_wake * (ranks - 1.0), 0.0);
  const double piece_s = ways.empty() ? 0.0 : group.byte_s * longest_wire * static_cast<double>(piece);
  const double pieces = std::max(ranks * static_cast<double>(pieces_of(many, piece)) / at_once, 1.0);
  return std::max(busy_s, pieces * (piece_s + way_s(furthest) + one_s));
}

std::uint64_t TurnCosts::best_segment(std::uint64_t /*message_bytes*/) const {
  const auto sizes = segment_sizes();
  return *(std::ranges::upper_bound(sizes, datagram_payload_bytes) - 1);
}

}  // namespace trunkline
