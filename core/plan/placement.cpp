// SPDX-License-Identifier: Apache-2.0
#include "plan/placement.hpp"

namespace trunkline {

Placement block_placement(const Cluster& cluster, std::uint32_t ranks_per_host) {
  Placement placement;
  placement.reserve(cluster.hosts().size() * ranks_per_host);
  for (HostIndex host = 0; host < cluster.hosts().size(); ++host) {
    placement.insert(placement.end(), ranks_per_host, host);
  }
  return placement;
}

}  // namespace trunkline
