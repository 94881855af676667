// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "kinds/multicast/groups.hpp"
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

/// One more on each channel between that host and any of the others. Seen from it the paths make a tree; each channel
/// of it is walked once.
void add_sender_to_all(const Cluster& cluster, HostIndex from, const Placement& others,
                       std::vector<std::uint32_t>& senders) {
  std::vector<bool> reached(cluster.nodes().size(), false);
  NodeId top = cluster.hosts()[from];  // the highest node that the way up has come to
  reached[top] = true;
  for (const HostIndex host : others) {
    NodeId node = cluster.hosts()[host];
    while (!reached[node]) {
      if (cluster.depth_of(node) >= cluster.depth_of(top)) {
        reached[node] = true;
        ++senders[cluster.channel_to_parent(node) ^ 1U];
        node = cluster.parent_of(node);
      } else {
        ++senders[cluster.channel_to_parent(top)];
        top = cluster.parent_of(top);
        reached[top] = true;
      }
    }
  }
}

void add_groups(const Cluster& cluster, const Placement& placement, const Multicast& multicast,
                std::vector<std::uint32_t>& senders) {
  for (const MulticastGroup& group : multicast.groups) {
    add_sender_to_all(cluster, placement[group.ranks.front()], placement_of(placement, group.ranks), senders);
    const Rank sender = group.ranks.front();
    const Rank parent = multicast.confirm.parent[sender];
    if (parent == no_rank) continue;
    const auto hosts = cluster.hosts();
    for (const ChannelId channel : cluster.path(hosts[placement[parent]], hosts[placement[sender]])) ++senders[channel];
  }
}

/// Ranks by turns within their groups, and messages between the first ranks of groups.
void add_groups_by_turns(const Cluster& cluster, const Placement& placement, const Multicast& multicast,
                         std::vector<std::uint32_t>& senders) {
  const auto hosts = cluster.hosts();
  for (const MulticastGroup& from : multicast.groups) {
    const auto own = senders_by_turns(cluster, placement_of(placement, from.ranks), multicast.at_once);
    std::ranges::transform(senders, own, senders.begin(), std::plus{});
    for (const MulticastGroup& to : multicast.groups) {
      if (&to == &from) continue;
      const NodeId sender = hosts[placement[from.ranks.front()]];
      for (const ChannelId channel : cluster.path(sender, hosts[placement[to.ranks.front()]])) ++senders[channel];
    }
  }
}

}  // namespace

Contention contention_of(const Cluster& cluster, const Placement& placement, const Multicast& multicast,
                         std::size_t most) {
  check_fit(cluster, placement, multicast.ranks(), multicast.root());
  std::vector<std::uint32_t> senders(cluster.channel_count(), 0);
  if (multicast.goes_by_turns() && multicast.has_groups()) {
    add_groups_by_turns(cluster, placement, multicast, senders);
    return busiest_of(senders, 1, cluster, placement, most);
  }
  if (multicast.goes_by_turns()) {
    return busiest_of(senders_by_turns(cluster, placement, multicast.at_once), 1, cluster, placement, most);
  }
  if (multicast.has_groups()) {
    add_groups(cluster, placement, multicast, senders);
  } else {
    add_sender_to_all(cluster, placement[multicast.confirm.root], placement, senders);
  }
  return busiest_of(senders, 1, cluster, placement, most);
}

}  // namespace trunkline
