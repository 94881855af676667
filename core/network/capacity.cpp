// SPDX-License-Identifier: Apache-2.0
#include "network/capacity.hpp"

#include <algorithm>
#include <limits>

namespace trunkline {

std::vector<std::uint32_t> capacities_of(const Cluster& cluster, const Placement& placement) {
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

bool any_above_one(std::span<const std::uint32_t> capacities) {
  return std::ranges::any_of(capacities, [](std::uint32_t capacity) { return capacity > 1; });
}

}  // namespace trunkline
