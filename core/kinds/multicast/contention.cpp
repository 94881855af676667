// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include "kinds/multicast/multicast.hpp"

namespace trunkline {

/// Seen from the root's host the paths make a tree; each channel of it is walked once.
Contention contention_of(const Cluster& cluster, const Placement& placement, const Multicast& multicast,
                         std::size_t most) {
  check_fit(cluster, placement, multicast.confirm.size(), multicast.confirm.root);
  std::vector<std::uint32_t> senders(cluster.channel_count(), 0);
  std::vector<bool> reached(cluster.nodes().size(), false);
  NodeId top = cluster.hosts()[placement[multicast.confirm.root]];  // the highest node that the way up has come to
  reached[top] = true;
  for (const HostIndex host : placement) {
    NodeId node = cluster.hosts()[host];
    while (!reached[node]) {
      if (cluster.depth_of(node) >= cluster.depth_of(top)) {
        reached[node] = true;
        senders[cluster.channel_to_parent(node) ^ 1U] = 1;
        node = cluster.parent_of(node);
      } else {
        senders[cluster.channel_to_parent(top)] = 1;
        top = cluster.parent_of(top);
        reached[top] = true;
      }
    }
  }
  return busiest_of(senders, 1, cluster, placement, most);
}

}  // namespace trunkline
