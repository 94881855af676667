// SPDX-License-Identifier: Apache-2.0
// What the fabric needs to know of a cluster: how long bytes take on each channel, and where frames turn.
#pragma once

#include <cstdint>
#include <vector>

#include "network/cluster.hpp"
#include "network/file/link_change.hpp"

namespace trunkline::fabric {

using Nanoseconds = std::uint64_t;

inline constexpr ChannelId no_channel = 0xFFFFFFFFU;

/// The spanning tree of a cluster, or its routes, as flat tables; multicasts follow the tree. Nothing in it allocates
/// or searches when a frame passes.
class Network {
 public:
  /// `rate_bps` sets the fastest link's rate and every other in proportion; 0 keeps the rates of the file.
  Network(const Cluster& cluster, double rate_bps);

  /// Gives the fastest link another rate, and every other in proportion; 0 returns to the rates of the file.
  void set_rate(double rate_bps);

  struct Channel {
    NodeId to = 0;
    bool from_host = false;
    std::uint64_t queue_bytes = 0;  ///< of the switch that it comes from; 0: not said
    bool impaired = false;          ///< does more to frames than carry them, or has been changed
    bool down = false;              ///< nothing gets through
    double ns_per_byte = 0.0;       ///< of one link where there are several
    Nanoseconds latency = 0;
    std::uint32_t width = 1;     ///< links side by side
    std::size_t first_port = 0;  ///< of `width` in a row, one for each of its links
  };

  [[nodiscard]] const Channel& channel(ChannelId id) const { return channels_[id]; }
  [[nodiscard]] std::size_t node_count() const { return leaving_.size(); }
  [[nodiscard]] std::size_t channel_count() const { return channels_.size(); }
  /// Of all channels: each link sends from a port of its own.
  [[nodiscard]] std::size_t port_count() const { return port_count_; }
  [[nodiscard]] std::uint32_t host_count() const { return host_count_; }
  [[nodiscard]] bool is_host(NodeId node) const { return host_of_node_[node] != no_host; }
  [[nodiscard]] HostIndex host_of(NodeId node) const { return host_of_node_[node]; }
  [[nodiscard]] NodeId node_of(HostIndex host) const { return node_of_host_[host]; }
  [[nodiscard]] double rate_bps() const { return rate_bps_; }

  /// Of the fastest channel as they are now, bits per second.
  [[nodiscard]] double fastest_now_bps() const;

  /// What a channel is like now, and makes it another. Who carries frames over it has to know (Transit::change).
  [[nodiscard]] LinkState state(ChannelId id) const;
  void set_state(ChannelId id, const LinkState& state);

  /// Channel from a node towards a host; no_channel at the host itself.
  [[nodiscard]] ChannelId towards(NodeId node, HostIndex host) const {
    return towards_[static_cast<std::size_t>(node) * host_count_ + host];
  }

  [[nodiscard]] const Impairments& impairments(ChannelId id) const { return impairments_[id]; }

  [[nodiscard]] const SwitchSettings& settings(NodeId node) const { return settings_[node]; }
  /// Whether a switch looks at multicast frames before it sends them to every port.
  [[nodiscard]] bool controls(NodeId node) const { return controls_[node] != 0; }
  /// Whether any switch reads what they are.
  [[nodiscard]] bool snoops() const { return snoops_; }

  /// Tree channels that leave a node.
  [[nodiscard]] const std::vector<ChannelId>& leaving(NodeId node) const { return leaving_[node]; }

  /// The shortest time in which `wire_bytes` cross any channel, latency included.
  [[nodiscard]] Nanoseconds quickest(std::uint32_t wire_bytes) const;

 private:
  static constexpr HostIndex no_host = 0xFFFFFFFFU;

  void set_times(ChannelId id);

  std::vector<Channel> channels_;
  std::vector<double> file_rates_bps_;    ///< by channel
  std::vector<double> rates_bps_;         ///< the same as changed since
  std::vector<Impairments> impairments_;  ///< by channel
  std::vector<SwitchSettings> settings_;  ///< by node
  std::vector<std::uint8_t> controls_;    ///< by node
  bool snoops_ = false;
  std::vector<NodeId> node_of_host_;
  std::vector<HostIndex> host_of_node_;
  std::vector<ChannelId> towards_;  ///< by node, then host
  std::vector<std::vector<ChannelId>> leaving_;
  std::size_t port_count_ = 0;
  std::uint32_t host_count_ = 0;
  double fastest_bps_ = 0.0;  ///< of the file
  double rate_bps_ = 0.0;
};

}  // namespace trunkline::fabric
