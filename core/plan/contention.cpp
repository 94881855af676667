// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <string>

#include "network/capacity.hpp"
#include "plan/checker.hpp"

namespace trunkline {

Contention busiest_of(const std::vector<std::uint32_t>& parts_on, std::uint32_t parts, const Cluster& cluster,
                      const Placement& placement, std::size_t most) {
  const std::vector<std::uint32_t> capacities = capacities_of(cluster, placement);
  Contention found;
  const auto load = [&](ChannelId channel) -> ChannelLoad {
    return {channel, (parts_on[channel] + parts - 1) / parts, capacities[channel / 2]};
  };
  const auto fuller = [](const ChannelLoad& a, const ChannelLoad& b) {
    return std::uint64_t{a.senders} * b.capacity > std::uint64_t{b.senders} * a.capacity;
  };
  ChannelLoad fullest{.channel = 0, .senders = 0, .capacity = 1};
  for (ChannelId channel = 0; channel < parts_on.size(); ++channel) {
    const ChannelLoad now = load(channel);
    found.contention_free = found.contention_free && now.senders <= now.capacity;
    found.most_senders = std::max(found.most_senders, now.senders);
    if (fuller(now, fullest)) fullest = now;
  }
  if (fullest.senders == 0) return found;
  for (ChannelId channel = 0; channel < parts_on.size(); ++channel) {
    const ChannelLoad now = load(channel);
    if (fuller(fullest, now)) continue;
    found.max_channel_load = std::max(found.max_channel_load, now.senders);
    if (found.busiest.size() < most) found.busiest.push_back(now);
  }
  return found;
}

void check_fit(const Cluster& cluster, const Placement& placement, std::size_t ranks, Rank root) {
  if (placement.size() != ranks) {
    throw std::invalid_argument("a placement of " + std::to_string(placement.size()) + " ranks for a plan of " +
                                std::to_string(ranks));
  }
  check_placement(cluster, placement, root);
}

void check_plan(const Plan& plan, Collective collective) { plan.steps().check(collective); }

Contention contention_of(const Cluster& cluster, const Placement& placement, const Plan& plan, std::size_t most) {
  return plan.steps().contention(cluster, placement, most);
}

}  // namespace trunkline
