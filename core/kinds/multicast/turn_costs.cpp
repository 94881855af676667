// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/turn_costs.hpp"

#include <algorithm>
#include <vector>

#include "kinds/multicast/datagram.hpp"
#include "model/transfer/wire.hpp"

namespace trunkline {
namespace {

struct Way {
  HostIndex to = 0;
  double latency_s = 0.0;
  double frame_byte_s = 0.0;  ///< of all links but the slowest

  [[nodiscard]] double frame_s() const { return latency_s + frame_byte_s * static_cast<double>(frame_wire_bytes); }
};

Way longest_way(const Paths& paths, const Placement& placement, HostIndex from) {
  const auto nodes = paths.cluster().hosts();
  Way longest{.to = from};
  for (const HostIndex host : placement) {
    if (host == from) continue;
    const NodeId meeting = paths.meeting(nodes[from], nodes[host]);
    const double byte_s = paths.byte_s(nodes[from], nodes[host], meeting);
    const Way way{.to = host,
                  .latency_s = paths.latency_s(nodes[from], nodes[host], meeting),
                  .frame_byte_s = std::max(0.0, byte_s - paths.slowest_byte_s(nodes[from], nodes[host], meeting))};
    if (longest.to == from || way.frame_s() > longest.frame_s()) longest = way;
  }
  return longest;
}

}  // namespace

TurnCosts turn_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                     const HostCosts& hosts) {
  check_fit(paths.cluster(), placement, multicast.ranks(), multicast.root());
  TurnCosts costs;
  costs.hosts = hosts;
  costs.byte_s = std::max(multicast.byte_s, slowest_byte_s(paths, placement, multicast.root()));
  costs.ranks = static_cast<double>(placement.size());
  costs.at_once = static_cast<double>(multicast.at_once);
  // In a tree the rank that is farthest from any one is an end of the longest way.
  const HostIndex end = longest_way(paths, placement, placement[multicast.root()]).to;
  const Way longest = longest_way(paths, placement, end);
  costs.latency_s = longest.latency_s;
  costs.frame_byte_s = longest.frame_byte_s;
  if (longest.to == end) return costs;  // all on one host
  std::vector<std::size_t> on_host(paths.cluster().hosts().size(), 0);
  for (const HostIndex host : placement) ++on_host[host];
  std::size_t fewest = placement.size();
  for (const HostIndex host : placement) fewest = std::min(fewest, on_host[host]);
  costs.others = static_cast<double>(placement.size() - fewest);
  return costs;
}

double TurnCosts::seconds(std::uint64_t message_bytes, std::uint64_t /*segment_bytes*/) const {
  if (ranks <= 1.0) return 0.0;
  const std::uint64_t block = pieces_of(message_bytes, static_cast<std::uint64_t>(ranks));
  const auto datagrams = static_cast<double>(datagrams_of(block));
  const auto bytes = static_cast<double>(block);
  const auto longest = static_cast<double>(std::min(block, datagram_payload_bytes));
  const auto longest_wire = longest + static_cast<double>(datagram_overhead_bytes);
  const double wire_s = others * byte_s * static_cast<double>(datagram_wire_bytes(block));
  const double sends_s = datagrams * hosts.send_s + bytes * hosts.send_byte_s;
  const double receives_s = (ranks - 1.0) * (datagrams * hosts.receive_s + bytes * hosts.receive_byte_s);
  const double together_s = hosts.together_s(ranks * (ranks - 1.0) * datagrams, ranks * (ranks - 1.0) * bytes);
  const double wires_s = others > 0.0 ? frame_byte_s * longest_wire : 0.0;
  const double way_s = latency_s + wires_s + hosts.send_s + hosts.receive_s + 2.0 * hosts.handling_byte_s() * longest;
  const double own_s = others > 0.0 ? byte_s * longest_wire : 0.0;
  const double waits = std::max(ranks * datagrams / at_once - 1.0, 0.0);
  const double turns_s = waits * (way_s + own_s) + own_s;
  return std::max({wire_s, sends_s + receives_s, together_s, turns_s}) + way_s;
}

std::uint64_t TurnCosts::best_segment(std::uint64_t /*message_bytes*/) const {
  const auto sizes = segment_sizes();
  return *(std::ranges::upper_bound(sizes, datagram_payload_bytes) - 1);
}

TimedSegment TurnCosts::fastest_segment(std::uint64_t message_bytes, const Cuts& /*cuts*/) const {
  const std::uint64_t segment = best_segment(message_bytes);
  return {.segment_bytes = segment, .seconds = seconds(message_bytes, segment)};
}

}  // namespace trunkline
