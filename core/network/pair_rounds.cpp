// SPDX-License-Identifier: Apache-2.0
#include "network/pair_rounds.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace trunkline {

namespace {

constexpr std::size_t near_an_end = 2;  ///< hosts on each side of a link that are paired over it

HostPair in_order(HostIndex a, HostIndex b) { return {std::min(a, b), std::max(a, b)}; }

/// Steps of a linear congruential generator (Knuth): the same everywhere.
class Lot {
 public:
  std::size_t below(std::size_t limit) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>((state_ >> 33U) % limit);
  }

 private:
  std::uint64_t state_ = 1;
};

class Sample {
 public:
  Sample(const Cluster& cluster, std::span<const HostIndex> hosts) : cluster_(cluster), hosts_(hosts) {
    for (const HostIndex host : hosts) {
      hosts_of_[cluster.switch_of(host)].push_back(host);
      host_at_[cluster.hosts()[host]] = host;
    }
  }

  std::vector<HostPair> take(std::size_t most) {
    around_switches();
    over_links();
    Lot lot;
    while (pairs_.size() < most) add(hosts_[lot.below(hosts_.size())], hosts_[lot.below(hosts_.size())]);
    return std::move(pairs_);
  }

 private:
  void add(HostIndex a, HostIndex b) {
    if (a != b && known_.insert(in_order(a, b)).second) pairs_.push_back(in_order(a, b));
  }

  /// Each host with the next two: what they take among each other tells the three apart.
  void around_switches() {
    for (const auto& [at, here] : hosts_of_) {
      for (std::size_t i = 0; i < here.size(); ++i) {
        add(here[i], here[(i + 1) % here.size()]);
        add(here[i], here[(i + 2) % here.size()]);
      }
    }
  }

  /// Whether it is a host whose own link the pairs around its switch tell.
  [[nodiscard]] bool is_told_around(NodeId node) const {
    const auto host = host_at_.find(node);
    return host != host_at_.end() && hosts_of_.at(cluster_.switch_of(host->second)).size() > near_an_end;
  }

  /// Two hosts on each side, on different branches where there are any: half of what those across take more than those
  /// on one side is the link's (the four-point rule of trees).
  void over_links() {
    for (LinkId id = 0; id < cluster_.links().size(); ++id) {
      const Link& link = cluster_.links()[id];
      if (!link.in_tree || is_told_around(link.a) || is_told_around(link.b)) continue;
      const std::vector<HostIndex> one = near_end(link.a, 2 * id);
      const std::vector<HostIndex> other = near_end(link.b, 2 * id + 1);
      if (one.empty() || other.empty()) continue;
      add(one.front(), other.front());
      add(one.back(), other.back());
      add(one.front(), one.back());
      add(other.front(), other.back());
    }
  }

  /// Hosts on the side of a link on which it ends at `from`, one each on up to two branches, or two on the only one.
  [[nodiscard]] std::vector<HostIndex> near_end(NodeId from, ChannelId across) const {
    if (const auto host = host_at_.find(from); host != host_at_.end()) return {host->second};
    std::vector<HostIndex> found;
    std::vector<HostIndex> further;
    for (const Cluster::Hop& hop : cluster_.neighbours(from)) {
      if (hop.channel / 2 == across / 2) continue;
      const std::vector<HostIndex> branch = nearest(hop.to, hop.channel);
      if (branch.empty()) continue;
      found.push_back(branch.front());
      further.insert(further.end(), branch.begin() + 1, branch.end());
      if (found.size() == near_an_end) break;
    }
    if (found.size() == 1 && !further.empty()) found.push_back(further.front());
    return found;
  }

  /// The nearest two that are reached by a channel to a node.
  [[nodiscard]] std::vector<HostIndex> nearest(NodeId to, ChannelId by) const {
    std::vector<std::pair<NodeId, ChannelId>> queue{{to, by}};
    std::vector<HostIndex> found;
    for (std::size_t next = 0; next < queue.size() && found.size() < near_an_end; ++next) {
      const auto [node, reached_by] = queue[next];
      if (const auto host = host_at_.find(node); host != host_at_.end()) found.push_back(host->second);
      for (const Cluster::Hop& hop : cluster_.neighbours(node)) {
        if (hop.channel / 2 != reached_by / 2) queue.emplace_back(hop.to, hop.channel);
      }
    }
    return found;
  }

  const Cluster& cluster_;
  std::span<const HostIndex> hosts_;
  std::map<NodeId, std::vector<HostIndex>> hosts_of_{};  ///< by switch
  std::map<NodeId, HostIndex> host_at_{};
  std::set<HostPair> known_{};
  std::vector<HostPair> pairs_{};
};

}  // namespace

std::vector<HostPair> pairs_to_measure(const Cluster& cluster, std::span<const HostIndex> hosts, std::size_t most) {
  const std::size_t all = hosts.size() * (hosts.size() - std::min<std::size_t>(hosts.size(), 1)) / 2;
  if (all > most) return Sample(cluster, hosts).take(most);
  std::vector<HostPair> pairs;
  for (std::size_t a = 0; a < hosts.size(); ++a) {
    for (std::size_t b = a + 1; b < hosts.size(); ++b) pairs.push_back(in_order(hosts[a], hosts[b]));
  }
  return pairs;
}

std::vector<std::vector<HostPair>> rounds_of_pairs(const Cluster& cluster, std::span<const HostPair> pairs) {
  std::vector<std::vector<HostPair>> rounds;
  std::vector<std::vector<bool>> taken;  ///< by round, then link: each host has one of its own
  for (const HostPair& pair : pairs) {
    const std::vector<ChannelId> way = cluster.path(cluster.hosts()[pair.first], cluster.hosts()[pair.second]);
    const auto has_room = [&](const std::vector<bool>& links) {
      return std::ranges::none_of(way, [&](ChannelId id) { return links[id / 2]; });
    };
    const auto round = static_cast<std::size_t>(std::ranges::find_if(taken, has_room) - taken.begin());
    if (round == taken.size()) {
      taken.emplace_back(cluster.links().size(), false);
      rounds.emplace_back();
    }
    for (const ChannelId id : way) taken[round][id / 2] = true;
    rounds[round].push_back(pair);
  }
  return rounds;
}

}  // namespace trunkline
