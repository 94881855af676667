// SPDX-License-Identifier: Apache-2.0
#include "network/paths.hpp"

namespace trunkline {

Paths::Paths(const Cluster& cluster)
    : cluster_(cluster),
      jump_(cluster.nodes().size(), 0),
      latency_s_(cluster.nodes().size(), 0.0),
      byte_s_(cluster.nodes().size(), 0.0) {
  top_down_.reserve(cluster.nodes().size());
  top_down_.push_back(0);
  for (std::size_t at = 0; at < top_down_.size(); ++at) {
    const NodeId node = top_down_[at];
    for (const Cluster::Hop& hop : cluster.neighbours(node)) {
      if (hop.to != 0 && cluster.parent_of(hop.to) == node) top_down_.push_back(hop.to);
    }
    if (node == 0) continue;
    const NodeId parent = cluster.parent_of(node);
    const NodeId further = jump_[parent];
    const auto depth = [&](NodeId of) { return cluster.depth_of(of); };
    const bool alike = depth(parent) - depth(further) == depth(further) - depth(jump_[further]);
    jump_[node] = alike ? jump_[further] : parent;
    const ChannelId channel = cluster.channel_to_parent(node);
    latency_s_[node] = latency_s_[parent] + cluster.link_of(channel).latency_s;
    byte_s_[node] = byte_s_[parent] + trunkline::byte_s(cluster, channel);
  }
}

NodeId Paths::meeting(NodeId u, NodeId v) const {
  const auto depth = [&](NodeId of) { return cluster_.depth_of(of); };
  if (depth(u) < depth(v)) std::swap(u, v);
  while (depth(u) > depth(v)) u = depth(jump_[u]) >= depth(v) ? jump_[u] : cluster_.parent_of(u);
  while (u != v) {
    const bool apart = jump_[u] != jump_[v];  // nodes of one depth jump as far
    u = apart ? jump_[u] : cluster_.parent_of(u);
    v = apart ? jump_[v] : cluster_.parent_of(v);
  }
  return u;
}

}  // namespace trunkline
