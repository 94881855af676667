// SPDX-License-Identifier: Apache-2.0
#include "choose/least_time.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/trees/packed_by_sites.hpp"
#include "model/transfer/wire.hpp"

namespace trunkline {
namespace {

/// What a byte takes at least that goes from one host to another by whichever ways there are.
class LeastByte {
 public:
  LeastByte(const Paths& paths, const Placement& placement) : paths_(paths) {
    if (paths.routes() != nullptr) sites_ = routed_sites(paths.cluster(), placement, Direction::down);
  }

  double seconds(NodeId u, NodeId v, NodeId meeting) {
    if (paths_.routes() == nullptr) return paths_.slowest_byte_s(u, v, meeting);
    const Cluster& cluster = paths_.cluster();
    const double ports_s = std::max(paths_.spread_byte_s(cluster.neighbours(u).front().channel),
                                    paths_.spread_byte_s(cluster.neighbours(v).front().channel ^ 1U));
    if (sites_.graph.sites == 0) return ports_s;
    const std::pair between(sites_.site_of_node[u], sites_.site_of_node[v]);
    const auto [known, is_new] = between_s_.try_emplace(between, 0.0);
    if (is_new) known->second = 8.0 / most_rate(sites_.graph, between.first, between.second);
    return std::max(ports_s, known->second);
  }

 private:
  const Paths& paths_;
  RoutedSites sites_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> between_s_;
};

}  // namespace

namespace {

/// Of blocks of all pairs: what the fullest channel takes. Routers have other ways than those of the spanning tree:
/// there, the fullest of hosts' links.
double least_of_pairs_byte_s(const Paths& paths, const Placement& placement) {
  const Cluster& cluster = paths.cluster();
  std::vector<double> below(cluster.nodes().size(), 0.0);
  for (const HostIndex host : placement) below[cluster.hosts()[host]] += 1.0;
  const auto ranks = static_cast<double>(placement.size());
  double most_s = 0.0;
  const auto crosses = [&](double inside, ChannelId channel) {
    const double byte_s = std::max(paths.spread_byte_s(channel), paths.spread_byte_s(channel ^ 1U));
    most_s = std::max(most_s, inside * (ranks - inside) * byte_s);
  };
  if (cluster.routes() != nullptr) {
    for (const NodeId host : cluster.hosts()) crosses(below[host], cluster.neighbours(host).front().channel);
    return most_s;
  }
  const std::span<const NodeId> top_down = paths.top_down();
  for (auto node = top_down.rbegin(); *node != top_down.front(); ++node) {
    crosses(below[*node], cluster.channel_to_parent(*node));
    below[cluster.parent_of(*node)] += below[*node];
  }
  return most_s;
}

}  // namespace

double least_byte_s(const Paths& paths, const Placement& placement, Collective collective) {
  const Cluster& cluster = paths.cluster();
  const CollectiveFacts& facts = facts_of(collective);
  if (facts.goes_by_pairs()) return least_of_pairs_byte_s(paths, placement);
  std::vector<double> ranks_on(cluster.hosts().size(), 0.0);
  for (const HostIndex host : placement) ranks_on[host] += 1.0;
  double hosts = 0.0;
  double sent_rates = 0.0;  // bytes a second
  double received_rates = 0.0;
  double slowest_s = 0.0;
  double fastest_s = std::numeric_limits<double>::infinity();
  for (HostIndex host = 0; host < ranks_on.size(); ++host) {
    if (ranks_on[host] == 0.0) continue;
    const ChannelId own = cluster.neighbours(cluster.hosts()[host]).front().channel;
    const double sent_s = paths.spread_byte_s(own);
    const double received_s = paths.spread_byte_s(own ^ 1U);
    const double own_share = ranks_on[host] / static_cast<double>(placement.size());
    hosts += 1.0;
    sent_rates += 1.0 / sent_s;
    received_rates += 1.0 / received_s;
    // Of a scan the first host only sends, and the last one only receives.
    const double link_s = facts.makes_prefixes() ? std::min(sent_s, received_s) : std::max(sent_s, received_s);
    const double all_s = (facts.goes_by_shares() ? 1.0 - own_share : 1.0) * link_s;
    slowest_s = std::max(slowest_s, all_s);
    fastest_s = std::min(fastest_s, all_s);
  }
  if (hosts < 2.0) return 0.0;
  if (facts.has_shares_at_root()) return fastest_s;  // of whichever root
  const bool reduces_for_all = facts.reduces && facts.after == Holding::all;
  return reduces_for_all ? std::max(slowest_s, 2.0 * (hosts - 1.0) / std::min(sent_rates, received_rates)) : slowest_s;
}

namespace {

/// Of a call that goes by shares: what the fullest channel takes that has ranks on both sides. Towards a rank go the
/// shares of all others, or, where they are reduced, the parts of its own share, combined on the way.
double least_of_shares_s(const Paths& paths, const Placement& placement, bool reduces, std::uint64_t share_bytes) {
  const Cluster& cluster = paths.cluster();
  std::vector<std::uint64_t> below(cluster.nodes().size(), 0);
  for (const HostIndex host : placement) ++below[cluster.hosts()[host]];
  double most_s = 0.0;
  const std::span<const NodeId> top_down = paths.top_down();
  for (auto node = top_down.rbegin(); node != top_down.rend(); ++node) {
    const std::uint64_t inside = below[*node];
    const std::uint64_t outside = placement.size() - inside;
    if (*node == top_down.front()) break;
    below[cluster.parent_of(*node)] += inside;
    if (inside == 0 || outside == 0) continue;
    const ChannelId up = cluster.channel_to_parent(*node);
    const auto crossed_s = [&](ChannelId channel, std::uint64_t senders, std::uint64_t receivers) {
      const double wire = least_wire_bytes(share_bytes * (reduces ? receivers : senders));
      return cluster.way(channel).latency_s + wire * paths.spread_byte_s(channel);
    };
    most_s = std::max({most_s, crossed_s(up, inside, outside), crossed_s(up ^ 1U, outside, inside)});
  }
  return most_s;
}

}  // namespace

double least_crossing_s(const Paths& paths, const Placement& placement, Collective collective, Rank root,
                        std::uint64_t message_bytes) {
  const Cluster& cluster = paths.cluster();
  check_placement(cluster, placement, root);
  const CollectiveFacts& facts = facts_of(collective);
  std::vector<HostIndex> hosts = placement;
  std::ranges::sort(hosts);
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  const std::uint64_t bytes = facts.goes_by_shares() ? message_bytes / placement.size() : message_bytes;
  const auto wire = static_cast<double>(wire_bytes(bytes));
  const bool to_root = facts.has_root && facts.before != Holding::all_at_root;
  LeastByte least(paths, placement);
  const auto longest_of = [&](HostIndex host) {
    double longest_s = 0.0;
    for (const HostIndex other : hosts) {
      if (other == host) continue;
      const NodeId u = cluster.hosts()[to_root ? other : host];
      const NodeId v = cluster.hosts()[to_root ? host : other];
      const NodeId meeting = paths.meeting(u, v);
      longest_s = std::max(longest_s, paths.latency_s(u, v, meeting) + wire * least.seconds(u, v, meeting));
    }
    return longest_s;
  };
  if (facts.has_shares_at_root()) {
    const ChannelId own = cluster.neighbours(cluster.hosts()[placement[root]]).front().channel;
    const auto elsewhere = static_cast<std::uint64_t>(
        std::ranges::count_if(placement, [&](HostIndex host) { return host != placement[root]; }));
    const double link_s = least_wire_bytes(elsewhere * bytes) * paths.spread_byte_s(to_root ? own ^ 1U : own);
    return std::max(link_s, longest_of(placement[root]));
  }
  if (facts.has_root) return longest_of(placement[root]);
  // Routers have other ways than those of the spanning tree: no channel of it has all that goes between its sides.
  const bool counts_shares = facts.goes_by_shares() && cluster.routes() == nullptr;
  double longest_s = facts.goes_by_pairs() ? least_of_pairs_byte_s(paths, placement) * least_wire_bytes(bytes)
                     : counts_shares       ? least_of_shares_s(paths, placement, facts.reduces, bytes)
                                           : 0.0;
  for (const HostIndex host : hosts) longest_s = std::max(longest_s, longest_of(host));
  return longest_s;
}

}  // namespace trunkline
