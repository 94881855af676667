// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/sites_seen.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace trunkline {

SitesSeen::SitesSeen(const Cluster& cluster, const Placement& placement, Rank root)
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

void SitesSeen::leave_out(Rank entry) {
  if (std::erase(seen_[site_of(root_)].beyond, site_of(entry)) == 0 || seen_[site_of(entry)].entry != entry) {
    throw std::invalid_argument("a root exchanges with the first rank of a site that its own would serve");
  }
}

void SitesSeen::walk(NodeId start) {
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

void SitesSeen::link() {
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

}  // namespace trunkline
