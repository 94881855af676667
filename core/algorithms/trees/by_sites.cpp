// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/by_sites.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "algorithms/trees/k_ary.hpp"
#include "algorithms/trees/linear.hpp"
#include "algorithms/trees/sites_seen.hpp"

namespace trunkline {
namespace {

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

/// A site as a line, depth first over its switches. Sites beyond it are served from its end: a rank there has one
/// neighbour less. Where there are several, hosts before the last one take a site each; `from_both_ends`: the first
/// rank, whom nobody serves, takes the second site.
void add_line(const Cluster& cluster, const Placement& placement, const SitesSeen& seen, const SeenSite& site,
              bool from_both_ends, Tree& tree) {
  Placement inside;
  for (const Rank rank : site.ranks) inside.push_back(placement[rank]);
  const auto entry = static_cast<Rank>(std::ranges::find(site.ranks, site.entry) - site.ranks.begin());
  const std::vector<Rank> order = depth_first_order(cluster, inside, entry);
  std::vector<Rank> ends;  // the last rank of each host, which sends over its link anyway
  for (std::size_t i = order.size(); i > 0; --i) {
    if (i == order.size() || inside[order[i]] != inside[order[i - 1]]) ends.push_back(site.ranks[order[i - 1]]);
  }
  if (from_both_ends && inside[order.front()] != inside[order.back()]) ends.insert(ends.begin() + 1, site.entry);
  for (std::size_t i = 0; i < site.beyond.size(); ++i) {
    add_child(tree, ends[i % ends.size()], seen[site.beyond[i]].entry);
  }
  for (std::size_t i = 1; i < order.size(); ++i) add_child(tree, site.ranks[order[i - 1]], site.ranks[order[i]]);
}

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

Tree laid_by_sites(const Cluster& cluster, const Placement& placement, const Middle& middle, unsigned k,
                   bool of_shares) {
  check_placement(cluster, placement, middle.root);
  if (k < 1) throw std::invalid_argument("a rank serves another one at least: k must be 1 or more");
  SitesSeen seen(cluster, placement, middle.root);
  Tree tree = root_alone(static_cast<Rank>(placement.size()), middle.root);
  if (middle.exchange != no_rank) {
    seen.leave_out(middle.exchange);
    add_child(tree, middle.root, middle.exchange);
    tree.exchange = middle.exchange;
  }
  SiteFiller filler(cluster, placement, k, tree);
  for (const SiteId id : seen.order()) {
    const SeenSite& site = seen[id];
    if (site.entry == no_rank) continue;
    if (k == 1) {
      add_line(cluster, placement, seen, site, of_shares && site.entry == middle.root, tree);
    } else if (site.beyond.empty()) {
      add_k_ary(cluster, placement, site, k, tree);
    } else {
      filler.fill(seen, site);
    }
  }
  return tree;
}

}  // namespace

Tree by_sites_tree(const Cluster& cluster, const Placement& placement, Rank root, unsigned k) {
  return laid_by_sites(cluster, placement, Middle{.root = root}, k, false);
}

Tree by_sites_tree(const Cluster& cluster, const Placement& placement, const Middle& middle, unsigned k) {
  return laid_by_sites(cluster, placement, middle, k, false);
}

Tree by_sites_tree_of_shares(const Cluster& cluster, const Placement& placement, Rank root, unsigned k) {
  return laid_by_sites(cluster, placement, Middle{.root = root}, k, true);
}

}  // namespace trunkline
