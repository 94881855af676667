// SPDX-License-Identifier: Apache-2.0
// Sites: parts of a network that are joined by long links, with latencies far above those within a part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/cluster.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// A link is long from this latency on, in the mean of both directions: some 20 km of fibre, or what a host needs
/// that forwards by software.
inline constexpr double least_long_s = 100e-6;
/// And from that many times the median latency of hosts' own links on: hosts that are all far from their switch, as a
/// cluster file may model slow software, are no sites.
inline constexpr double least_long_factor = 10.0;

using SiteId = std::uint32_t;

struct Sites {
  std::vector<SiteId> of_node;  ///< by node: numbered by their first nodes
  SiteId count = 0;

  [[nodiscard]] bool are_several() const noexcept { return count > 1; }
};

/// By link: whether it is long. Links outside the spanning tree count as others do. Time O(nodes + links).
[[nodiscard]] std::vector<bool> long_links_of(const Cluster& cluster);
[[nodiscard]] std::vector<bool> long_links_of(std::span<const Node> nodes, std::span<const Link> links);

/// The pieces of the spanning tree without its long links. A piece may have no hosts: a router that long links meet at.
/// Time O(nodes + links).
[[nodiscard]] Sites sites_of(const Cluster& cluster);

/// Whether ranks of the placement, which fits the cluster, sit on different sites.
[[nodiscard]] bool spans_sites(const Cluster& cluster, const Placement& placement);

}  // namespace trunkline
