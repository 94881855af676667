// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/result_costs.hpp"

#include <algorithm>
#include <span>

#include "kinds/multicast/datagram.hpp"

namespace trunkline {

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
