// SPDX-License-Identifier: Apache-2.0
#include "network/paths.hpp"

#include <utility>

namespace trunkline {

Paths::Paths(const Cluster& cluster)
    : cluster_(cluster), routes_(cluster.routes()), jump_(cluster.nodes().size(), 0), heavy_(cluster.nodes().size()) {
  for (ChannelId channel = 0; channel < cluster.channel_count(); ++channel) {
    const Link& link = cluster.link_of(channel);
    channel_byte_s_.push_back(8.0 / link.way(channel).rate_bps);
    spread_byte_s_.push_back(channel_byte_s_.back() / link.width);
    any_wide_ = any_wide_ || link.width > 1;
    any_back_ = any_back_ || link.back.has_value();
  }
  any_tcp_window_ = std::ranges::any_of(cluster.nodes(), [](const Node& node) { return node.tcp_window_bytes > 0; });
  const std::vector<double> none(cluster.nodes().size(), 0.0);
  up_ = {none, none, none};
  if (any_back_) down_ = up_;
  if (any_wide_) {
    host_of_.assign(cluster.nodes().size(), 0);
    for (HostIndex host = 0; host < cluster.hosts().size(); ++host) host_of_[cluster.hosts()[host]] = host;
  }
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
    add_node(up_, node, channel);
    if (any_back_) add_node(down_, node, channel ^ 1U);
  }
  std::vector<std::uint32_t> below(cluster.nodes().size(), 1);  // nodes of its subtree
  std::vector<NodeId> heaviest(cluster.nodes().size(), 0);
  for (std::size_t at = top_down_.size(); at > 1; --at) {
    const NodeId node = top_down_[at - 1];
    const NodeId parent = cluster.parent_of(node);
    below[parent] += below[node];
    if (heaviest[parent] == 0 || below[node] > below[heaviest[parent]]) heaviest[parent] = node;
  }
  for (const NodeId node : top_down()) {
    const NodeId parent = cluster.parent_of(node);
    heavy_[node] = heaviest[parent] == node ? heavy_[parent] : HeavyPath{node, cluster.depth_of(node), parent};
  }
}

void Paths::add_node(Sums& sums, NodeId node, ChannelId channel) const {
  const NodeId parent = cluster_.parent_of(node);
  sums.latency_s[node] = sums.latency_s[parent] + cluster_.way(channel).latency_s;
  sums.byte_s[node] = sums.byte_s[parent] + byte_s(channel);
  sums.slowest_byte_s[node] = byte_s(channel);
  if (jump_[node] == parent) return;
  sums.slowest_byte_s[node] =
      std::max({byte_s(channel), sums.slowest_byte_s[parent], sums.slowest_byte_s[jump_[parent]]});
}

double Paths::slowest(const Sums& sums, NodeId node, NodeId above, ChannelId way) const {
  double slowest = 0.0;
  while (node != above) {
    const bool far = cluster_.depth_of(jump_[node]) >= cluster_.depth_of(above);
    slowest = std::max(slowest, far ? sums.slowest_byte_s[node] : byte_s(cluster_.channel_to_parent(node) ^ way));
    node = far ? jump_[node] : cluster_.parent_of(node);
  }
  return slowest;
}

double Paths::slowest_routed(NodeId u, NodeId v) const {
  double slowest = 0.0;
  routes_->walk(u, v, [&](ChannelId channel) { slowest = std::max(slowest, byte_s(channel)); });
  return slowest;
}

NodeId Paths::meeting(NodeId u, NodeId v) const {
  while (heavy_[u].top != heavy_[v].top) {
    if (heavy_[u].depth < heavy_[v].depth) std::swap(u, v);
    u = heavy_[u].above;
  }
  return cluster_.depth_of(u) < cluster_.depth_of(v) ? u : v;
}

}  // namespace trunkline
