// SPDX-License-Identifier: Apache-2.0
// Sites as groups, of each of which one rank gets the message for all: MagPIe's rule (Kielmann and others, 1999) for
// networks that bring it to all hosts of a site at once.
#pragma once

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "algorithms/trees/k_ary.hpp"
#include "algorithms/trees/middle.hpp"
#include "algorithms/trees/sites_seen.hpp"
#include "network/cluster.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

struct GroupsBySites {
  Tree tree{};                              ///< through all ranks: from each group's first to others', and within each
  std::vector<std::vector<Rank>> groups{};  ///< the first has the message from the first of another group
};

/// With so few hosts, messages bring it to all as fast.
inline constexpr std::size_t least_hosts_of_group = 3;

/// Sites are those of network/long_links.hpp; of each the rank nearest to the link by which it is entered is the first,
/// of the root's own the root. It serves all sites beyond its own, the farthest ahead of others. Within a site the tree
/// is the contention-free k-ary one (k_ary.hpp). The ranks of a site with fewer than least_hosts_of_group hosts are
/// groups of one rank each. Without long links all are one site. Where roots exchange: for operands that come up to
/// both, and whose result goes to all. Throws std::invalid_argument where a root or a host of `placement` is out of
/// range, or k is 0, and where the root exchanges with another rank than one that is the first in a site that its own
/// serves.
[[nodiscard]] inline GroupsBySites groups_by_sites(const Cluster& cluster, const Placement& placement,
                                                   const Middle& middle, unsigned k) {
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
