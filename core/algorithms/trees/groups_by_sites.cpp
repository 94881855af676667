// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/groups_by_sites.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "algorithms/trees/k_ary.hpp"
#include "algorithms/trees/sites_seen.hpp"

namespace trunkline {

GroupsBySites groups_by_sites(const Cluster& cluster, const Placement& placement, Rank root, unsigned k) {
  return groups_by_sites(cluster, placement, Middle{.root = root}, k);
}

GroupsBySites groups_by_sites(const Cluster& cluster, const Placement& placement, const Middle& middle, unsigned k) {
  check_placement(cluster, placement, middle.root);
  SitesSeen seen(cluster, placement, middle.root);
  GroupsBySites made{.tree = root_alone(static_cast<Rank>(placement.size()), middle.root)};
  if (middle.exchange != no_rank) {
    seen.leave_out(middle.exchange);
    add_child(made.tree, middle.root, middle.exchange);
    made.tree.exchange = middle.exchange;
  }
  for (const SiteId id : seen.order()) {
    const SeenSite& site = seen[id];
    if (site.entry == no_rank) continue;
    for (const SiteId beyond : site.beyond) add_child(made.tree, site.entry, seen[beyond].entry);
    std::vector<Rank> ranks{site.entry};
    std::ranges::copy_if(site.ranks, std::back_inserter(ranks), [&](Rank rank) { return rank != site.entry; });
    Placement inside;
    for (const Rank rank : ranks) inside.push_back(placement[rank]);
    const Tree own = k_ary_tree(cluster, inside, 0, k);
    for (const Rank from : parents_first(own)) {
      for (const Rank to : own.children[from]) add_child(made.tree, ranks[from], ranks[to]);
    }
    if (std::set<HostIndex>(inside.begin(), inside.end()).size() >= least_hosts_of_group) {
      made.groups.push_back(std::move(ranks));
    } else {
      for (const Rank rank : ranks) made.groups.push_back({rank});
    }
  }
  return made;
}

}  // namespace trunkline
