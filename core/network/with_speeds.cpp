// SPDX-License-Identifier: Apache-2.0
#include "network/with_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "network/bundles.hpp"

namespace trunkline {
namespace {

void check_number(double value, bool may_be_zero, const std::string& what) {
  if (std::isfinite(value) && (value > 0.0 || (may_be_zero && value == 0.0))) return;
  throw std::invalid_argument(what + " is " + std::to_string(value) + ", which no network has");
}

/// Of each link that the file states, the channel of the cluster that leads as it does from a to b.
std::vector<std::optional<ChannelId>> channels_of(const Cluster& cluster, const Cluster::Parts& stated) {
  if (stated.links.size() != cluster.links().size()) return bundle_equal_cost_paths(stated).channel_of;
  std::vector<std::optional<ChannelId>> channels(stated.links.size());
  for (LinkId id = 0; id < stated.links.size(); ++id) channels[id] = 2 * id;
  return channels;
}

}  // namespace

Cluster with_speeds(const Cluster& cluster, std::span<const double> rates_bps, std::span<const double> latencies_s,
                    std::optional<std::span<const double>> injections_s) {
  Cluster::Parts parts = cluster.stated();
  const std::size_t links = cluster.links().size();
  const bool has_ways = latencies_s.size() == 2 * links;
  if (rates_bps.size() != 2 * links || (!has_ways && latencies_s.size() != links) ||
      (injections_s && injections_s->size() != cluster.hosts().size())) {
    throw std::invalid_argument(
        "a rate of each channel, a latency of each link or channel, and an injection time of each host are needed");
  }
  const auto channels = channels_of(cluster, parts);
  for (LinkId id = 0; id < parts.links.size(); ++id) {
    if (!channels[id]) continue;
    const ChannelId there = *channels[id];
    const ChannelId back = there ^ 1U;
    Link& link = parts.links[id];
    const std::string name = parts.nodes[link.a].name + " - " + parts.nodes[link.b].name;
    check_number(rates_bps[there], false, "the rate of " + name);
    check_number(rates_bps[back], false, "the rate of " + name + " back");
    if (has_ways) {
      link.latency_s = latencies_s[there];
      link.back = OneWay{rates_bps[back], latencies_s[back]};
      check_number(link.back->latency_s, true, "the latency of " + name + " back");
    } else {
      link.set_mean_latency(latencies_s[there / 2]);
      link.back = OneWay{rates_bps[back], link.way(1).latency_s};
    }
    check_number(has_ways ? link.latency_s : latencies_s[there / 2], true, "the latency of " + name);
    link.rate_bps = rates_bps[there];
  }
  for (HostIndex host = 0; injections_s && host < cluster.hosts().size(); ++host) {
    Node& node = parts.nodes[cluster.hosts()[host]];
    node.injection_s = (*injections_s)[host];
    check_number(node.injection_s, true, "the injection time of " + node.name);
  }
  parts.measured.reset();
  Cluster made(std::move(parts));
  const auto is_same = [](const MergedSwitches& one, const MergedSwitches& other) {
    return one.name == other.name && one.switches == other.switches;
  };
  if (made.links().size() != cluster.links().size() || !std::ranges::equal(made.merged(), cluster.merged(), is_same)) {
    throw std::invalid_argument("with these rates and latencies " + cluster.name() +
                                " has other switches that equal-cost paths make one");
  }
  return made;
}

Cluster scaled(const Cluster& cluster, double fastest_bps) {
  if (!(fastest_bps > 0.0) || !std::isfinite(fastest_bps)) throw std::invalid_argument("a rate must be above zero");
  Cluster::Parts parts = cluster.stated();
  double fastest = 0.0;
  for (const Link& link : cluster.links()) fastest = std::max(fastest, link.most_bps());
  if (fastest != fastest_bps) parts.measured.reset();  // they are about links at other rates
  const auto scale = [&](double& bps) {  // divided last: of round rates come round ones, and 1Gbit of 10Gbit is a tenth
    bps = static_cast<double>(static_cast<long double>(bps) * fastest_bps / fastest);
  };
  for (Link& link : parts.links) {
    scale(link.rate_bps);
    if (link.back) scale(link.back->rate_bps);
  }
  return Cluster(std::move(parts));
}

}  // namespace trunkline
