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
  // Who hands data on takes in a byte and sends it: more than that would only lie before the processors.
  const double byte_s =
      std::max({paths.byte_s(cluster.neighbours(from).front().channel),
                paths.byte_s(cluster.neighbours(to).front().channel ^ 1U), 2.0 * hosts.handling_byte_s()});
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
  double most_near = 0.0;
  const bool has_sites = paths.cluster().has_sites();
  steps.each_hop([&](Rank from, Rank to) {
    const double bytes = delay_bytes(paths, placement[from], placement[to], hosts);
    most = std::max(most, bytes);
    if (!has_sites || !is_far(paths, placement[from], placement[to])) most_near = std::max(most_near, bytes);
  });
  UnderWay needed = steps.under_way(collective);
  if (most == 0.0 && !facts_of(collective).reduces) needed.least_bytes = within_host_bytes;
  const auto most_bytes = static_cast<double>(most_in_flight_bytes);
  const auto two_round_trips = [&](double delay) {
    return std::max(needed.least_bytes, static_cast<std::uint64_t>(std::min(2.0 * 2.0 * delay, most_bytes)));
  };
  return {.bytes = two_round_trips(most),
          .near_bytes = two_round_trips(most_near),
          .delay_bytes = static_cast<std::uint64_t>(std::min(most, most_bytes)),
          .hops_for_each_lead = needed.hops_for_each_lead};
}

bool is_far(const Paths& paths, HostIndex one, HostIndex other) {
  const NodeId u = paths.cluster().hosts()[one];
  const NodeId v = paths.cluster().hosts()[other];
  return u != v && paths.mean_latency_s(u, v, paths.meeting(u, v)) >= least_long_s;
}

std::vector<Rank> far_peers(const Paths& paths, const Placement& placement, const Steps& steps, Rank rank) {
  std::vector<Rank> peers;
  if (!paths.cluster().has_sites()) return peers;
  steps.each_hop([&](Rank from, Rank to) {
    if (from != rank && to != rank) return;
    if (is_far(paths, placement[from], placement[to])) peers.push_back(from == rank ? to : from);
  });
  std::ranges::sort(peers);
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
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
