// SPDX-License-Identifier: Apache-2.0
// Sites as groups, of each of which one rank gets the message for all: MagPIe's rule (Kielmann and others, 1999) for
// networks that bring it to all hosts of a site at once.
#pragma once

#include <vector>

#include "algorithms/trees/middle.hpp"
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
/// groups of one rank each. Without long links all are one site. Throws std::invalid_argument where `root` or a host of
/// `placement` is out of range, or k is 0.
[[nodiscard]] GroupsBySites groups_by_sites(const Cluster& cluster, const Placement& placement, Rank root, unsigned k);

/// The same for operands that come up to a root, or to two that exchange, and whose result goes to all. Throws as
/// above, and where the root exchanges with another rank than one that is the first in a site that its own serves.
[[nodiscard]] GroupsBySites groups_by_sites(const Cluster& cluster, const Placement& placement, const Middle& middle,
                                            unsigned k);

}  // namespace trunkline
