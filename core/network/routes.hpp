// SPDX-License-Identifier: Apache-2.0
// Ways of routers: between any two nodes the one of least latency, whatever tree the network has besides.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/cluster.hpp"

namespace trunkline {

/// Switches of one network that its routes are worked out for: the tables grow with their square.
inline constexpr std::size_t most_routed_switches = 1024;

/// For each two switches the next channel on the way of least latency in the mean of both directions, then of fewest
/// links, then of a fixed choice by links' numbers. So there is one way between any two nodes, the same there and back,
/// and from every switch on it the way goes on along it. Time to make O(switches * links * log(links)).
class Routes {
 public:
  /// Each host has one link, and leads nowhere. Throws std::invalid_argument beyond most_routed_switches.
  Routes(std::span<const Node> nodes, std::span<const Link> links);

  /// The channel by which a node is left towards another one. Both must be there, and not be the same.
  [[nodiscard]] ChannelId towards(NodeId node, NodeId target) const {
    const Place& from = places_[node];
    const Place& to = places_[target];
    if (from.is_host) return from.own;
    if (from.at == to.at) return to.own ^ 1U;  // the target is a host of this switch
    return next_[std::size_t{to.at} * switches_ + from.at];
  }
  /// Whether the way between any two hosts crosses it.
  [[nodiscard]] bool crosses(LinkId link) const { return crossed_[link]; }

  /// Calls `visit` with each channel from one node to another, in travel order.
  template <class Visit>
  void walk(NodeId from, NodeId to, const Visit& visit) const {
    while (from != to) {
      const ChannelId channel = towards(from, to);
      visit(channel);
      from = ends_[channel];
    }
  }

 private:
  struct Place {
    bool is_host = false;
    std::uint32_t at = 0;  ///< of the switch, or of that of the host: its number among switches
    ChannelId own = 0;     ///< of a host: to its switch
  };

  void find_ways_to(std::uint32_t target, std::span<const Link> links);
  void mark_crossed(std::span<const Node> nodes);

  struct Hop {
    std::uint32_t to;   ///< number among switches
    ChannelId channel;  ///< that leads there
  };

  std::uint32_t switches_ = 0;
  std::vector<Place> places_;          ///< by node
  std::vector<NodeId> node_of_;        ///< by number among switches
  std::vector<NodeId> ends_;           ///< by channel: where it leads
  std::vector<std::vector<Hop>> out_;  ///< by number among switches
  std::vector<ChannelId> next_;        ///< by target, then switch
  std::vector<bool> crossed_;          ///< by link
};

}  // namespace trunkline
