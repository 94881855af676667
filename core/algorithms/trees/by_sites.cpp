// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/by_sites.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "algorithms/trees/k_ary.hpp"
#include "network/long_links.hpp"

namespace trunkline {
namespace {

/// Calls `visit(from, hop)` for each node but the first, after the one that it is reached from.
template <class Visit>
void walk_from(const Cluster& cluster, NodeId start, const Visit& visit) {
  std::vector<std::pair<NodeId, NodeId>> open{{start, start}};
  while (!open.empty()) {
    const auto [at, from] = open.back();
    open.pop_back();
    for (const Cluster::Hop& hop : cluster.neighbours(at)) {
      if (hop.to == from) continue;
      visit(at, hop);
      open.emplace_back(hop.to, at);
    }
  }
}

/// A site as the root sees it.
struct SeenSite {
  NodeId gate = 0;  ///< where its link leads in; of the root's own site the root's host
  std::optional<SiteId> before{};
  std::vector<Rank> ranks{};
  Rank entry = no_rank;          ///< gets the message first; no_rank: there are no ranks
  double farthest_s = 0.0;       ///< latency from the root to the farthest entry there and beyond
  std::vector<SiteId> beyond{};  ///< that are served from here, the farthest first
};

/// The sites in an order in which each comes after the one before it.
class SitesSeen {
 public:
  SitesSeen(const Cluster& cluster, const Placement& placement, Rank root)
      : cluster_(cluster), placement_(placement), sites_(sites_of(cluster)), seen_(sites_.count) {
    walk(node_of(root));
    for (Rank rank = 0; rank < placement.size(); ++rank) seen_[site_of(rank)].ranks.push_back(rank);
    for (SeenSite& site : seen_) {
      if (site.ranks.empty()) continue;
      site.entry = *std::ranges::min_element(
          site.ranks, {}, [&](Rank rank) { return std::pair(steps_[node_of(rank)] - steps_[site.gate], rank); });
    }
    seen_[site_of(root)].entry = root;
    link();
  }

  [[nodiscard]] const std::vector<SiteId>& order() const { return order_; }
  [[nodiscard]] const SeenSite& operator[](SiteId site) const { return seen_[site]; }

 private:
  [[nodiscard]] NodeId node_of(Rank rank) const { return cluster_.hosts()[placement_[rank]]; }
  [[nodiscard]] SiteId site_of(Rank rank) const { return sites_.of_node[node_of(rank)]; }

  void walk(NodeId start) {
    steps_.assign(cluster_.nodes().size(), 0);
    latency_s_.assign(cluster_.nodes().size(), 0.0);
    seen_[sites_.of_node[start]].gate = start;
    order_.push_back(sites_.of_node[start]);
    walk_from(cluster_, start, [&](NodeId at, const Cluster::Hop& hop) {
      steps_[hop.to] = steps_[at] + 1;
      latency_s_[hop.to] = latency_s_[at] + cluster_.link_of(hop.channel).latency_s;
      const SiteId site = sites_.of_node[hop.to];
      if (site == sites_.of_node[at]) return;
      seen_[site].gate = hop.to;
      seen_[site].before = sites_.of_node[at];
      order_.push_back(site);
    });
  }

  /// Says who serves whom, from the outermost sites inwards.
  void link() {
    for (std::size_t left = order_.size(); left > 0; --left) {
      const SiteId site = order_[left - 1];
      SeenSite& one = seen_[site];
      const bool has_ranks = one.entry != no_rank;
      if (has_ranks) one.farthest_s = std::max(one.farthest_s, latency_s_[node_of(one.entry)]);
      std::ranges::stable_sort(one.beyond, std::greater(), [&](SiteId other) { return seen_[other].farthest_s; });
      if (!one.before) continue;
      SeenSite& before = seen_[*one.before];
      before.farthest_s = std::max(before.farthest_s, one.farthest_s);
      if (has_ranks) {
        before.beyond.push_back(site);
      } else {
        before.beyond.insert(before.beyond.end(), one.beyond.begin(), one.beyond.end());
      }
    }
  }

  const Cluster& cluster_;
  const Placement& placement_;
  Sites sites_;
  std::vector<SeenSite> seen_;
  std::vector<SiteId> order_;
  std::vector<std::uint32_t> steps_;  ///< from the root's host, by node
  std::vector<double> latency_s_;
};

/// Fills a site beyond which there are others, level by level: each host that has the message sends once in each. The
/// first rank of a host that has it is the only one on its link; others of the host hang below it.
class SiteFiller {
 public:
  SiteFiller(const Cluster& cluster, const Placement& placement, unsigned k, Tree& tree)
      : cluster_(cluster), placement_(placement), k_(k), tree_(tree), sender_(cluster.channel_count(), no_rank) {}

  void fill(const SitesSeen& seen, const SeenSite& site) {
    senders_.assign(1, {site.entry, k_});
    split(site);
    count_waiting();
    auto next_site = site.beyond.begin();
    while (next_site != site.beyond.end() || !left_.empty()) {
      const std::size_t reached = senders_.size();
      bool anybody_sent = false;
      for (std::size_t i = 0; i < reached; ++i) {
        if (senders_[i].may_send == 0) continue;
        // The last send is for the own site, so that there is always somebody who goes on.
        if (next_site != site.beyond.end() && (senders_[i].may_send > 1 || left_.empty())) {
          send(i, seen[*next_site++].entry);
        } else if (const auto to = nearest_free(senders_[i].rank)) {
          send(i, *to);
          reach(*to);
        } else {
          continue;
        }
        anybody_sent = true;
      }
      if (anybody_sent) continue;
      if (left_.empty()) {
        for (Sender& one : senders_) ++one.may_send;  // fewer ranks than it takes to serve so many sites
      } else {
        share();
      }
    }
    for (const std::vector<Rank>& ranks : by_host_) add_k_ary_below(ranks);
  }

 private:
  struct Sender {
    Rank rank;
    unsigned may_send;  ///< so many times more
  };

  [[nodiscard]] NodeId node_of(Rank rank) const { return cluster_.hosts()[placement_[rank]]; }
  [[nodiscard]] NodeId switch_of(Rank rank) const { return cluster_.switch_of(placement_[rank]); }

  /// By host, the entry the first of its own; all first ones but that are left to be reached.
  void split(const SeenSite& site) {
    std::map<HostIndex, std::vector<Rank>> ranks{{placement_[site.entry], {site.entry}}};
    for (const Rank rank : site.ranks) {
      if (rank != site.entry) ranks[placement_[rank]].push_back(rank);
    }
    by_host_.clear();
    left_.clear();
    for (auto& [host, own] : ranks) {
      if (own.front() != site.entry) left_.push_back(own.front());
      by_host_.push_back(std::move(own));
    }
  }

  void add_k_ary_below(const std::vector<Rank>& ranks) {
    for (std::size_t i = 1; i < ranks.size(); ++i) add_child(tree_, ranks[(i - 1) / k_], ranks[i]);
  }

  void count_waiting() {
    below_.assign(cluster_.nodes().size(), 0);
    for (const Rank rank : left_) ++below_[switch_of(rank)];
    entered_.assign(cluster_.nodes().size(), false);
    entered_[switch_of(senders_.front().rank)] = true;
  }

  /// How many hosts wait behind a link that nobody has sent over yet, if this one does.
  [[nodiscard]] std::uint32_t waiting_with(Rank rank) const {
    return entered_[switch_of(rank)] ? 1 : below_[switch_of(rank)];
  }

  /// Whom to reach next without sending where somebody else does: where most wait.
  [[nodiscard]] std::optional<Rank> nearest_free(Rank from) const {
    std::optional<Rank> best;
    for (const Rank to : left_) {
      if (best && waiting_with(to) <= waiting_with(*best)) continue;
      const std::vector<ChannelId> path = cluster_.path(node_of(from), node_of(to));
      const auto is_free = [&](ChannelId channel) { return sender_[channel] == no_rank || sender_[channel] == from; };
      if (std::ranges::all_of(path, is_free)) best = to;
    }
    return best;
  }

  void send(std::size_t sender, Rank to) {
    const Rank from = senders_[sender].rank;
    --senders_[sender].may_send;
    for (const ChannelId channel : cluster_.path(node_of(from), node_of(to))) {
      if (sender_[channel] == no_rank) sender_[channel] = from;
    }
    add_child(tree_, from, to);
  }

  void reach(Rank rank) {
    std::erase(left_, rank);
    entered_[switch_of(rank)] = true;
    senders_.push_back({rank, k_});
  }

  /// Whoever may still send is cut off from all that wait by others' channels: two share one.
  void share() {
    const auto sender = std::ranges::find_if(senders_, [](const Sender& one) { return one.may_send > 0; });
    const Rank to = left_.front();
    send(static_cast<std::size_t>(sender - senders_.begin()), to);
    reach(to);
  }

  const Cluster& cluster_;
  const Placement& placement_;
  unsigned k_;
  Tree& tree_;
  std::vector<Rank> sender_;  ///< the first one, by channel
  std::vector<Sender> senders_;
  std::vector<std::vector<Rank>> by_host_;
  std::vector<Rank> left_;            ///< first ranks of hosts, to be reached
  std::vector<std::uint32_t> below_;  ///< by switch: how many were left at the beginning
  std::vector<bool> entered_;         ///< by switch
};

/// A site of its own.
void add_k_ary(const Cluster& cluster, const Placement& placement, const SeenSite& site, unsigned k, Tree& tree) {
  Placement inside;
  for (const Rank rank : site.ranks) inside.push_back(placement[rank]);
  const auto entry = static_cast<Rank>(std::ranges::find(site.ranks, site.entry) - site.ranks.begin());
  const Tree own = k_ary_tree(cluster, inside, entry, k);
  for (Rank from = 0; from < own.size(); ++from) {
    for (const Rank to : own.children[from]) add_child(tree, site.ranks[from], site.ranks[to]);
  }
}

/// By node.
std::vector<double> latencies_from(const Cluster& cluster, NodeId start) {
  std::vector<double> latency_s(cluster.nodes().size(), 0.0);
  walk_from(cluster, start, [&](NodeId at, const Cluster::Hop& hop) {
    latency_s[hop.to] = latency_s[at] + cluster.link_of(hop.channel).latency_s;
  });
  return latency_s;
}

}  // namespace

Rank rank_in_the_middle(const Cluster& cluster, const Placement& placement, Rank root) {
  check_placement(cluster, placement, root);
  const auto node = [&](HostIndex host) { return cluster.hosts()[host]; };
  const auto farthest = [&](const std::vector<double>& latency_s) {
    return node(*std::ranges::max_element(placement, {}, [&](HostIndex host) { return latency_s[node(host)]; }));
  };
  // In a tree whoever is farthest from anybody is one end of the longest way, and one of its ends is farthest from all.
  const NodeId one_end = farthest(latencies_from(cluster, node(placement[root])));
  const std::vector<double> from_one = latencies_from(cluster, one_end);
  const std::vector<double> from_other = latencies_from(cluster, farthest(from_one));
  const auto reach_s = [&](HostIndex host) { return std::max(from_one[node(host)], from_other[node(host)]); };
  const auto best = std::ranges::min_element(placement, {}, reach_s);
  constexpr double nearer = 0.99;
  if (reach_s(*best) >= nearer * reach_s(placement[root])) return root;
  return static_cast<Rank>(best - placement.begin());
}

Tree by_sites_tree(const Cluster& cluster, const Placement& placement, Rank root, unsigned k) {
  check_placement(cluster, placement, root);
  if (k < 2) throw std::invalid_argument("a rank serves another site and its own: k must be 2 or more");
  const SitesSeen seen(cluster, placement, root);
  Tree tree = root_alone(static_cast<Rank>(placement.size()), root);
  SiteFiller filler(cluster, placement, k, tree);
  for (const SiteId id : seen.order()) {
    const SeenSite& site = seen[id];
    if (site.entry == no_rank) continue;
    if (site.beyond.empty()) {
      add_k_ary(cluster, placement, site, k, tree);
    } else {
      filler.fill(seen, site);
    }
  }
  return tree;
}

}  // namespace trunkline
