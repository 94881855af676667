// SPDX-License-Identifier: Apache-2.0
#include "choose/least_time.hpp"

#include <algorithm>
#include <vector>

#include "model/transfer/wire.hpp"

namespace trunkline {

double least_byte_s(const Paths& paths, const Placement& placement, Collective collective) {
  const Cluster& cluster = paths.cluster();
  const CollectiveFacts& facts = facts_of(collective);
  std::vector<double> ranks_on(cluster.hosts().size(), 0.0);
  for (const HostIndex host : placement) ranks_on[host] += 1.0;
  double hosts = 0.0;
  double all_rates = 0.0;  // bytes a second
  double slowest_s = 0.0;
  for (HostIndex host = 0; host < ranks_on.size(); ++host) {
    if (ranks_on[host] == 0.0) continue;
    const double byte_s = paths.spread_byte_s(cluster.neighbours(cluster.hosts()[host]).front().channel);
    const double own_share = ranks_on[host] / static_cast<double>(placement.size());
    hosts += 1.0;
    all_rates += 1.0 / byte_s;
    slowest_s = std::max(slowest_s, (facts.goes_by_shares() ? 1.0 - own_share : 1.0) * byte_s);
  }
  if (hosts < 2.0) return 0.0;
  const bool reduces_for_all = facts.reduces && !facts.has_root && !facts.goes_by_shares();
  return reduces_for_all ? std::max(slowest_s, 2.0 * (hosts - 1.0) / all_rates) : slowest_s;
}

double least_crossing_s(const Paths& paths, const Placement& placement, Collective collective, Rank root,
                        std::uint64_t message_bytes) {
  const Cluster& cluster = paths.cluster();
  check_placement(cluster, placement, root);
  const CollectiveFacts& facts = facts_of(collective);
  std::vector<HostIndex> hosts = placement;
  std::ranges::sort(hosts);
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  const std::uint64_t bytes = facts.goes_by_shares() ? message_bytes / placement.size() : message_bytes;
  const auto wire = static_cast<double>(wire_bytes(bytes));
  const auto longest_from = [&](HostIndex from) {
    const NodeId u = cluster.hosts()[from];
    double longest_s = 0.0;
    for (const HostIndex to : hosts) {
      if (to == from) continue;
      const NodeId v = cluster.hosts()[to];
      const NodeId meeting = paths.meeting(u, v);
      longest_s = std::max(longest_s, paths.latency_s(u, v, meeting) + wire * paths.slowest_byte_s(u, v, meeting));
    }
    return longest_s;
  };
  if (facts.has_root) return longest_from(placement[root]);
  double longest_s = 0.0;
  for (const HostIndex host : hosts) longest_s = std::max(longest_s, longest_from(host));
  return longest_s;
}

}  // namespace trunkline
