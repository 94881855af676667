// SPDX-License-Identifier: Apache-2.0
// Questions about paths: along the spanning tree, answered without walking them, since switches may form long lines; or
// by routes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "network/cluster.hpp"
#include "network/routes.hpp"

namespace trunkline {

/// Every node knows its parent and one node further up, such that any ancestor is O(log(depth)) steps away (Myers,
/// "An applicative random-access stack", 1983); and the top of its heavy path (Sleator, Tarjan, 1983), which goes on
/// from each node to the child with most below it, so that a way up changes paths O(log(nodes)) times, and never on a
/// line of switches. Made in time O(nodes).
class Paths {
 public:
  /// `cluster` must outlive the object.
  explicit Paths(const Cluster& cluster);

  [[nodiscard]] const Cluster& cluster() const noexcept { return cluster_; }
  /// Nodes, each after its parent.
  [[nodiscard]] std::span<const NodeId> top_down() const noexcept { return top_down_; }
  /// An ancestor: the parent, or one that is further up.
  [[nodiscard]] NodeId jump(NodeId node) const { return jump_[node]; }

  /// Where the paths from both towards node 0 meet. Time O(log(nodes)). Where the network has routes of its own it says
  /// nothing, and the functions below walk the routes: time O(length).
  [[nodiscard]] NodeId meeting(NodeId u, NodeId v) const;
  /// Channels between two nodes whose paths meet there.
  [[nodiscard]] std::uint32_t length(NodeId u, NodeId v, NodeId meeting) const {
    if (routes_ != nullptr) return static_cast<std::uint32_t>(summed(u, v, [](ChannelId) { return 1.0; }));
    return cluster_.depth_of(u) + cluster_.depth_of(v) - 2 * cluster_.depth_of(meeting);
  }
  /// Sums over the channels between them: seconds a bit takes to cross a link, and seconds a byte takes on the wire.
  [[nodiscard]] double latency_s(NodeId u, NodeId v, NodeId meeting) const {
    if (routes_ != nullptr) return summed(u, v, [&](ChannelId id) { return cluster_.way(id).latency_s; });
    return up_.latency_s[u] + down().latency_s[v] - (up_.latency_s[meeting] + down().latency_s[meeting]);
  }
  [[nodiscard]] double byte_s(NodeId u, NodeId v, NodeId meeting) const {
    if (routes_ != nullptr) return summed(u, v, [&](ChannelId id) { return byte_s(id); });
    return up_.byte_s[u] + down().byte_s[v] - (up_.byte_s[meeting] + down().byte_s[meeting]);
  }
  /// Seconds a bit takes to cross all links from one to the other and back, halved: what one way takes where links are
  /// alike both ways.
  [[nodiscard]] double mean_latency_s(NodeId u, NodeId v, NodeId meeting) const {
    return (latency_s(u, v, meeting) + latency_s(v, u, meeting)) / 2.0;
  }
  /// Seconds that a byte takes on one channel: on one of its links.
  [[nodiscard]] double byte_s(ChannelId channel) const { return channel_byte_s_[channel]; }
  /// Seconds that each of many bytes takes where they are spread evenly over all of the channel's links side by side.
  [[nodiscard]] double spread_byte_s(ChannelId channel) const { return spread_byte_s_[channel]; }
  /// The most that a byte takes on one of the channels from one node to another; 0 where there is none. Time
  /// O(log(nodes)).
  [[nodiscard]] double slowest_byte_s(NodeId u, NodeId v, NodeId meeting) const {
    if (routes_ != nullptr) return slowest_routed(u, v);
    return std::max(slowest_up(u, meeting), slowest_down(v, meeting));
  }
  /// Null where paths are those of the spanning tree.
  [[nodiscard]] const Routes* routes() const noexcept { return routes_; }
  /// Which host a node is, where any link is several side by side; meaningless for switches.
  [[nodiscard]] HostIndex host_of(NodeId node) const { return host_of_[node]; }
  /// Whether any link is several side by side.
  [[nodiscard]] bool any_wide() const noexcept { return any_wide_; }
  /// Whether any link differs by direction.
  [[nodiscard]] bool any_back() const noexcept { return any_back_; }
  /// Whether any host's TCP window is stated.
  [[nodiscard]] bool any_tcp_window() const noexcept { return any_tcp_window_; }

 private:
  struct HeavyPath {
    NodeId top;
    std::uint32_t depth;  ///< of the top
    NodeId above;         ///< the top's parent
  };

  /// Of the channels between a node and node 0, in one direction.
  struct Sums {
    std::vector<double> latency_s;
    std::vector<double> byte_s;
    std::vector<double> slowest_byte_s;  ///< by node, of the channels between it and its jump
  };

  template <class Number>
  [[nodiscard]] double summed(NodeId u, NodeId v, const Number& number) const {
    double sum = 0.0;
    routes_->walk(u, v, [&](ChannelId channel) { sum += number(channel); });
    return sum;
  }
  [[nodiscard]] double slowest_routed(NodeId u, NodeId v) const;
  void add_node(Sums& sums, NodeId node, ChannelId channel) const;
  /// Where all links are alike both ways, what holds for one holds for the other.
  [[nodiscard]] const Sums& down() const { return any_back_ ? down_ : up_; }
  [[nodiscard]] double slowest_up(NodeId node, NodeId above) const { return slowest(up_, node, above, 0); }
  [[nodiscard]] double slowest_down(NodeId node, NodeId above) const { return slowest(down(), node, above, 1); }
  /// `way`: 0 towards node 0, 1 away from it.
  [[nodiscard]] double slowest(const Sums& sums, NodeId node, NodeId above, ChannelId way) const;

  const Cluster& cluster_;
  const Routes* routes_;
  bool any_back_ = false;
  bool any_wide_ = false;
  bool any_tcp_window_ = false;
  std::vector<HostIndex> host_of_;  ///< empty where none is
  std::vector<NodeId> top_down_;
  std::vector<NodeId> jump_;
  std::vector<HeavyPath> heavy_;  ///< that a node is on
  Sums up_;                       ///< towards node 0
  Sums down_;                     ///< away from it; empty where all links are alike both ways
  std::vector<double> channel_byte_s_;
  std::vector<double> spread_byte_s_;
};

}  // namespace trunkline
