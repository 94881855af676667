// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "network/routes.hpp"

namespace trunkline::fabric {

namespace {
constexpr double ns_per_second = 1e9;
constexpr double bits_per_byte = 8.0;
constexpr double longest_s = 1e8;  // what is later than three years never comes

Nanoseconds whole_ns(double seconds) {
  return static_cast<Nanoseconds>(std::llround(std::min(seconds, longest_s) * ns_per_second));
}

Impairments within_reason(Impairments impairments) {
  impairments.jitter_s = std::min(impairments.jitter_s, longest_s);
  impairments.reorder_by_s = std::min(impairments.reorder_by_s, longest_s);
  return impairments;
}

}  // namespace

Network::Network(const Cluster& cluster, double rate_bps)
    : channels_(cluster.channel_count()),
      file_rates_bps_(cluster.channel_count()),
      impairments_(cluster.channel_count()),
      settings_(cluster.nodes().size()),
      controls_(cluster.nodes().size()),
      node_of_host_(cluster.hosts().begin(), cluster.hosts().end()),
      host_of_node_(cluster.nodes().size(), no_host),
      leaving_(cluster.nodes().size()),
      host_count_(static_cast<std::uint32_t>(cluster.hosts().size())) {
  for (HostIndex host = 0; host < host_count_; ++host) {
    host_of_node_[node_of_host_[host]] = host;
  }
  for (NodeId node = 0; node < settings_.size(); ++node) {
    settings_[node] = cluster.nodes()[node].settings;
    const bool snoops = settings_[node].igmp != Igmp::flood;
    controls_[node] = snoops || settings_[node].storm_control > 0.0 ? 1 : 0;
    snoops_ = snoops_ || snoops;
  }
  for (ChannelId id = 0; id < channels_.size(); ++id) {
    const Link& link = cluster.link_of(id);
    channels_[id].to = cluster.channel_to(id);
    channels_[id].from_host = host_of_node_[cluster.channel_from(id)] != no_host;
    channels_[id].queue_bytes = cluster.nodes()[cluster.channel_from(id)].settings.queue_bytes;
    channels_[id].impaired = link.impairments.any();
    impairments_[id] = within_reason(link.impairments);
    channels_[id].latency = whole_ns(link.way(id).latency_s);
    channels_[id].width = link.width;
    channels_[id].first_port = port_count_;
    port_count_ += link.width;
    file_rates_bps_[id] = link.way(id).rate_bps;
  }
  // One walk over the tree from each host: the channel by which a node is left towards the host is the opposite of
  // the one by which the walk reached it.
  towards_.assign(cluster.nodes().size() * host_count_, no_channel);
  std::vector<NodeId> queue;
  for (HostIndex host = 0; host < host_count_; ++host) {
    queue.assign(1, node_of_host_[host]);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const NodeId node = queue[next];
      const ChannelId back = towards(node, host);
      for (const Cluster::Hop& hop : cluster.neighbours(node)) {
        if (hop.channel != back) {
          towards_[static_cast<std::size_t>(hop.to) * host_count_ + host] = hop.channel ^ 1U;
          queue.push_back(hop.to);
        }
      }
    }
  }
  if (const Routes* const routes = cluster.routes()) {
    for (NodeId node = 0; node < leaving_.size(); ++node) {
      for (HostIndex host = 0; host < host_count_; ++host) {
        if (node == node_of_host_[host]) continue;
        towards_[static_cast<std::size_t>(node) * host_count_ + host] = routes->towards(node, node_of_host_[host]);
      }
    }
  }
  for (NodeId node = 0; node < leaving_.size(); ++node) {
    for (const Cluster::Hop& hop : cluster.neighbours(node)) {
      leaving_[node].push_back(hop.channel);
    }
  }
  rates_bps_ = file_rates_bps_;
  fastest_bps_ = *std::max_element(file_rates_bps_.begin(), file_rates_bps_.end());
  set_rate(rate_bps);
}

void Network::set_rate(double rate_bps) {
  rate_bps_ = rate_bps > 0.0 ? rate_bps : fastest_bps_;
  for (ChannelId id = 0; id < channels_.size(); ++id) set_times(id);
}

void Network::set_times(ChannelId id) {
  channels_[id].ns_per_byte = bits_per_byte * ns_per_second / (rates_bps_[id] * rate_bps_ / fastest_bps_);
}

double Network::fastest_now_bps() const {
  const auto fastest = std::ranges::min_element(channels_, {}, &Channel::ns_per_byte);
  return bits_per_byte * ns_per_second / fastest->ns_per_byte;
}

LinkState Network::state(ChannelId id) const {
  const double scale = rate_bps_ / fastest_bps_;
  return {.rate_bps = rates_bps_[id] * scale,
          .started_bps = file_rates_bps_[id] * scale,
          .latency_s = static_cast<double>(channels_[id].latency) / ns_per_second,
          .up = !channels_[id].down,
          .impairments = impairments_[id]};
}

void Network::set_state(ChannelId id, const LinkState& state) {
  rates_bps_[id] = state.rate_bps * fastest_bps_ / rate_bps_;
  set_times(id);
  channels_[id].latency = whole_ns(state.latency_s);
  channels_[id].down = !state.up;
  channels_[id].impaired = true;  // from now on frames of another time are before it, and it keeps their order
  impairments_[id] = within_reason(state.impairments);
}

Nanoseconds Network::quickest(std::uint32_t wire_bytes) const {
  Nanoseconds least = std::numeric_limits<Nanoseconds>::max();
  for (const Channel& channel : channels_) {
    least = std::min(least, channel.latency + static_cast<Nanoseconds>(channel.ns_per_byte * wire_bytes));
  }
  return least;
}

}  // namespace trunkline::fabric
