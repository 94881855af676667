// SPDX-License-Identifier: Apache-2.0
#include "plan/in_flight.hpp"

#include <algorithm>
#include <vector>

#include "network/long_links.hpp"

namespace trunkline {
namespace {

double delay_bytes(const Paths& paths, HostIndex from_host, HostIndex to_host, const HostCosts& hosts) {
  if (from_host == to_host) return 0.0;
  const Cluster& cluster = paths.cluster();
  const NodeId from = cluster.hosts()[from_host];
  const NodeId to = cluster.hosts()[to_host];
  const double byte_s = std::max(paths.byte_s(cluster.neighbours(from).front().channel),
                                 paths.byte_s(cluster.neighbours(to).front().channel ^ 1U));
  const double way_s = paths.mean_latency_s(from, to, paths.meeting(from, to)) + hosts.send_s + hosts.receive_s;
  return way_s / byte_s;
}

}  // namespace

InFlight in_flight(const Paths& paths, const Placement& placement, const Plan& plan, Collective collective,
                   const HostCosts& hosts) {
  return in_flight(paths, placement, plan.steps(), collective, hosts);
}

InFlight in_flight(const Paths& paths, const Placement& placement, const Steps& steps, Collective collective,
                   const HostCosts& hosts) {
  double most = 0.0;
  steps.each_hop(
      [&](Rank from, Rank to) { most = std::max(most, delay_bytes(paths, placement[from], placement[to], hosts)); });
  const UnderWay needed = steps.under_way(collective);
  const auto most_bytes = static_cast<double>(most_in_flight_bytes);
  const double two_round_trips = std::min(2.0 * 2.0 * most, most_bytes);
  return {.bytes = std::max(needed.least_bytes, static_cast<std::uint64_t>(two_round_trips)),
          .delay_bytes = static_cast<std::uint64_t>(std::min(most, most_bytes)),
          .hops_for_each_lead = needed.hops_for_each_lead};
}

double longest_hop_s(const Paths& paths, const Placement& placement, const Steps& steps) {
  double longest_s = 0.0;
  steps.each_hop([&](Rank from, Rank to) {
    const NodeId u = paths.cluster().hosts()[placement[from]];
    const NodeId v = paths.cluster().hosts()[placement[to]];
    longest_s = std::max(longest_s, paths.mean_latency_s(u, v, paths.meeting(u, v)));
  });
  return longest_s >= least_long_s ? longest_s : 0.0;
}

}  // namespace trunkline
