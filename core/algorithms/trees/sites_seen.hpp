// SPDX-License-Identifier: Apache-2.0
// The sites of a cluster as one rank sees them: how each is entered, and which are behind it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "network/cluster.hpp"
#include "network/long_links.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// Calls `visit(from, hop)` for each node but the first, after the one that it is reached from. Time O(nodes).
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

struct SeenSite {
  NodeId gate = 0;                 ///< where its link leads in; of the root's own site the root's host
  std::optional<SiteId> before{};  ///< which may have no ranks
  std::vector<Rank> ranks{};
  Rank entry = no_rank;          ///< the rank nearest to the gate, by links; no_rank: there are no ranks
  double farthest_s = 0.0;       ///< latency from the root to the farthest entry there and beyond
  std::vector<SiteId> beyond{};  ///< that are served from here, the farthest first; none without ranks
};

/// As the root sees them. Sites are those of network/long_links.hpp; sites beyond one without ranks are served from
/// before it.
class SitesSeen {
 public:
  /// The placement fits the cluster, which must outlive the object.
  SitesSeen(const Cluster& cluster, const Placement& placement, Rank root)
      : cluster_(cluster), placement_(placement), root_(root), sites_(sites_of(cluster)), seen_(sites_.count) {
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

  /// Each comes after the one before it.
  [[nodiscard]] const std::vector<SiteId>& order() const { return order_; }
  [[nodiscard]] const SeenSite& operator[](SiteId site) const { return seen_[site]; }
  [[nodiscard]] SiteId sites() const { return sites_.count; }
  [[nodiscard]] SiteId site_of(Rank rank) const { return sites_.of_node[node_of(rank)]; }

  /// By node: from the root's host.
  [[nodiscard]] const std::vector<double>& latency_s() const { return latency_s_; }

  /// Who else serves the site of a rank, so that the root's own does not. Throws std::invalid_argument where the rank
  /// is not the entry of a site that the root's own serves.
  void leave_out(Rank entry) {
    if (std::erase(seen_[site_of(root_)].beyond, site_of(entry)) == 0 || seen_[site_of(entry)].entry != entry) {
      throw std::invalid_argument("a root exchanges with the first rank of a site that its own would serve");
    }
  }

 private:
  [[nodiscard]] NodeId node_of(Rank rank) const { return cluster_.hosts()[placement_[rank]]; }

  void walk(NodeId start) {
    steps_.assign(cluster_.nodes().size(), 0);
    latency_s_.assign(cluster_.nodes().size(), 0.0);
    seen_[sites_.of_node[start]].gate = start;
    order_.push_back(sites_.of_node[start]);
    walk_from(cluster_, start, [&](NodeId at, const Cluster::Hop& hop) {
      steps_[hop.to] = steps_[at] + 1;
      latency_s_[hop.to] = latency_s_[at] + cluster_.link_of(hop.channel).mean_latency_s();
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
  Rank root_;
  Sites sites_;
  std::vector<SeenSite> seen_;
  std::vector<SiteId> order_;
  std::vector<std::uint32_t> steps_;  ///< from the root's host, by node
  std::vector<double> latency_s_;
};

}  // namespace trunkline
