// SPDX-License-Identifier: Apache-2.0
#include "network/restated.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace trunkline {

namespace {

void check_number(double value, bool may_be_zero, const std::string& what) {
  if (std::isfinite(value) && (value > 0.0 || (may_be_zero && value == 0.0))) return;
  throw std::invalid_argument(what + " is " + std::to_string(value) + ", which no network has");
}

}  // namespace

Cluster restated(const Cluster& cluster, std::span<const double> rates_bps, std::span<const double> latencies_s,
                 std::optional<std::span<const double>> injections_s) {
  Cluster::Parts parts = cluster.stated();
  if (!cluster.merged().empty()) {
    throw std::invalid_argument(cluster.name() +
                                " has switches that equal-cost paths make one: their links cannot be told apart");
  }
  const bool has_ways = latencies_s.size() == 2 * parts.links.size();
  if (rates_bps.size() != 2 * parts.links.size() || (!has_ways && latencies_s.size() != parts.links.size()) ||
      (injections_s && injections_s->size() != cluster.hosts().size())) {
    throw std::invalid_argument(
        "a rate of each channel, a latency of each link or channel, and an injection time of each host are needed");
  }
  for (LinkId id = 0; id < parts.links.size(); ++id) {
    Link& link = parts.links[id];
    const std::string name = parts.nodes[link.a].name + " - " + parts.nodes[link.b].name;
    const double there_bps = rates_bps[2 * std::size_t{id}];
    const double back_bps = rates_bps[2 * std::size_t{id} + 1];
    check_number(there_bps, false, "the rate of " + name);
    check_number(back_bps, false, "the rate of " + name + " back");
    if (has_ways) {
      link.latency_s = latencies_s[2 * std::size_t{id}];
      link.back = OneWay{back_bps, latencies_s[2 * std::size_t{id} + 1]};
      check_number(link.back->latency_s, true, "the latency of " + name + " back");
    } else {
      link.set_mean_latency(latencies_s[id]);
      link.back = OneWay{back_bps, link.way(1).latency_s};
    }
    check_number(has_ways ? link.latency_s : latencies_s[id], true, "the latency of " + name);
    link.rate_bps = there_bps;
  }
  for (HostIndex host = 0; injections_s && host < cluster.hosts().size(); ++host) {
    Node& node = parts.nodes[cluster.hosts()[host]];
    node.injection_s = (*injections_s)[host];
    check_number(node.injection_s, true, "the injection time of " + node.name);
  }
  parts.measured.reset();
  return Cluster(std::move(parts));
}

}  // namespace trunkline
