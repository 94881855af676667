// SPDX-License-Identifier: Apache-2.0
#include "network/long_links.hpp"

#include <algorithm>

#include "network/spanning_tree.hpp"

namespace trunkline {
namespace {

double usual_latency_s(std::span<const Node> nodes, std::span<const Link> links) {
  std::vector<double> own;
  for (const Link& link : links) {
    const bool is_own = nodes[link.a].kind == NodeKind::host || nodes[link.b].kind == NodeKind::host;
    if (is_own) own.push_back(link.mean_latency_s());
  }
  const auto middle = own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2);
  std::nth_element(own.begin(), middle, own.end());
  return *middle;
}

}  // namespace

std::vector<bool> long_links_of(const Cluster& cluster) { return long_links_of(cluster.nodes(), cluster.links()); }

std::vector<bool> long_links_of(std::span<const Node> nodes, std::span<const Link> links) {
  const double least_s = std::max(least_long_s, least_long_factor * usual_latency_s(nodes, links));
  std::vector<bool> is_long;
  is_long.reserve(links.size());
  for (const Link& link : links) is_long.push_back(link.mean_latency_s() >= least_s);
  return is_long;
}

Sites sites_of(const Cluster& cluster) {
  const std::vector<bool> is_long = long_links_of(cluster);
  DisjointSets near(cluster.nodes().size());
  for (LinkId id = 0; id < cluster.links().size(); ++id) {
    const Link& link = cluster.links()[id];
    if (link.in_tree && !is_long[id]) near.join(link.a, link.b);
  }
  constexpr SiteId none = 0xFFFFFFFFU;
  Sites sites{.of_node = std::vector<SiteId>(cluster.nodes().size()), .count = 0};
  std::vector<SiteId> of_set(cluster.nodes().size(), none);
  for (NodeId node = 0; node < cluster.nodes().size(); ++node) {
    SiteId& site = of_set[near.find(node)];
    if (site == none) site = sites.count++;
    sites.of_node[node] = site;
  }
  return sites;
}

bool spans_sites(const Cluster& cluster, const Placement& placement) {
  if (!cluster.has_sites()) return false;
  const Sites sites = sites_of(cluster);
  const auto site = [&](HostIndex host) { return sites.of_node[cluster.hosts()[host]]; };
  return std::ranges::any_of(placement, [&](HostIndex host) { return site(host) != site(placement.front()); });
}

}  // namespace trunkline
