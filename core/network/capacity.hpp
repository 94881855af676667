// SPDX-License-Identifier: Apache-2.0
// How many senders a channel carries without slowing any of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "network/cluster.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// The capacity of each link, by its number, the same in both directions: how often the rate at which the placement's
/// fastest host sends goes into that of one link in its slower direction, at least once. A host counts with all of its
/// links side by side, since it may send on all of them; a trunk with one of its links, since a hash may put all flows
/// on the same one. So as many senders as a channel has room for do not slow each other, whatever the hash. A host's
/// own link has room for one. Time O(ranks + links). Throws std::invalid_argument where there are no ranks, or a host
/// of `placement` is not in the cluster.
[[nodiscard]] inline std::vector<std::uint32_t> capacities_of(const Cluster& cluster, const Placement& placement) {
  check_placement(cluster, placement, 0);
  double sender_bps = 0.0;
  for (const HostIndex host : placement) {
    const ChannelId own = cluster.neighbours(cluster.hosts()[host]).front().channel;
    sender_bps = std::max(sender_bps, cluster.way(own).rate_bps * cluster.link_of(own).width);
  }
  std::vector<std::uint32_t> capacities;
  capacities.reserve(cluster.links().size());
  constexpr double rounding = 1.0 + 1e-9;  // 40 Gbit/s are four times 10 Gbit/s, even where rates were scaled
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  for (const Link& link : cluster.links()) {
    capacities.push_back(static_cast<std::uint32_t>(std::clamp(link.least_bps() / sender_bps * rounding, 1.0, most)));
  }
  return capacities;
}

/// Whether any link has room for more than one sender.
[[nodiscard]] inline bool any_above_one(std::span<const std::uint32_t> capacities) {
  return std::ranges::any_of(capacities, [](std::uint32_t capacity) { return capacity > 1; });
}

}  // namespace trunkline
