// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include "kinds/multicast/multicast.hpp"

namespace trunkline {
namespace {

/// Of each channel: the ranks behind it, whose datagrams it carries to those before it, as far as they send at once.
std::vector<std::uint32_t> senders_by_turns(const Cluster& cluster, const Placement& placement, Rank at_once) {
  std::vector<std::uint32_t> below(cluster.nodes().size(), 0);
  for (const HostIndex host : placement) {
    NodeId node = cluster.hosts()[host];
    for (++below[node]; cluster.depth_of(node) > 0; ++below[node]) node = cluster.parent_of(node);
  }
  std::vector<std::uint32_t> senders(cluster.channel_count(), 0);
  const auto ranks = static_cast<std::uint32_t>(placement.size());
  for (NodeId node = 0; node < below.size(); ++node) {
    if (cluster.depth_of(node) == 0 || below[node] == 0 || below[node] == ranks) continue;
    const ChannelId up = cluster.channel_to_parent(node);
    senders[up] = std::min(below[node], at_once);
    senders[up ^ 1U] = std::min(ranks - below[node], at_once);
  }
  return senders;
}

}  // namespace

/// Seen from the root's host the paths make a tree; each channel of it is walked once.
Contention contention_of(const Cluster& cluster, const Placement& placement, const Multicast& multicast,
                         std::size_t most) {
  check_fit(cluster, placement, multicast.ranks(), multicast.root());
  if (multicast.goes_by_turns()) {
    return busiest_of(senders_by_turns(cluster, placement, multicast.at_once), 1, cluster, placement, most);
  }
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
