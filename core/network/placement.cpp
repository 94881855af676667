// SPDX-License-Identifier: Apache-2.0
#include "network/placement.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace trunkline {

Placement block_placement(const Cluster& cluster, std::uint32_t ranks_per_host) {
  Placement placement;
  placement.reserve(cluster.hosts().size() * ranks_per_host);
  for (HostIndex host = 0; host < cluster.hosts().size(); ++host) {
    placement.insert(placement.end(), ranks_per_host, host);
  }
  return placement;
}

bool is_one_host(const Placement& placement) {
  return std::ranges::all_of(placement, [&](HostIndex host) { return host == placement.front(); });
}

void check_placement(const Cluster& cluster, const Placement& placement, Rank root) {
  check_root(static_cast<Rank>(placement.size()), root);
  for (const HostIndex host : placement) {
    if (host >= cluster.hosts().size()) {
      throw std::invalid_argument("host " + std::to_string(host) + " is not in cluster " + cluster.name());
    }
  }
}

void check_root(Rank ranks, Rank root) {
  if (root >= ranks) {
    throw std::invalid_argument("root " + std::to_string(root) + " is not among " + std::to_string(ranks) + " ranks");
  }
}

std::vector<Rank> by_number(Rank ranks, Rank root) {
  std::vector<Rank> order(ranks);
  for (Rank position = 0; position < ranks; ++position) order[position] = absolute(position, root, ranks);
  return order;
}

}  // namespace trunkline
