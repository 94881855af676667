// SPDX-License-Identifier: Apache-2.0
// Trees that enter each site once, along its long link, and spread inside without contention: MagPIe's rule (Kielmann
// and others, 1999), with sites that are entered from each other where long links make a line. Cost: the long links'
// latencies on the way, and K (X + H - 1) T(m / X) where hosts' links are slower than long ones.
#pragma once

#include "algorithms/trees/middle.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

/// Degree at most k, but where a site has too few ranks to serve the sites beyond it. Sites are those of
/// network/long_links.hpp. The first rank in a site, the nearest one to the link by which it is entered, serves sites
/// beyond it first, the farthest ahead of others. Where it has more of them than it may serve, ranks of its own site
/// that it reaches take them over. A site beyond which there is none has the contention-free k-ary tree (k_ary.hpp);
/// others are filled level by level, with no more than one sender on a channel wherever another rank is free to send.
/// There the first rank of each host serves up to k others of it besides, which takes no link. A site without ranks is
/// passed: sites beyond it are served from before it, so that its link is crossed once for each of them. Without
/// long links it is the k-ary tree. With a k of 1 a site is the line of linear.hpp, whose last rank serves the farthest
/// site beyond, the host before it the next: a rank has two neighbours, or three where several sites are beyond.
/// Throws std::invalid_argument where `root` or a host of `placement` is out of range, or k is 0. Time O(hosts * hosts
/// * length of a path + ranks) of a site with others beyond it.
[[nodiscard]] Tree by_sites_tree(const Cluster& cluster, const Placement& placement, Rank root, unsigned k);

/// The same for data that go up and down again. Where two roots exchange, each serves up to k others besides. Throws as
/// above, and where the root exchanges with another rank than one that is the first in a site that its own serves.
[[nodiscard]] Tree by_sites_tree(const Cluster& cluster, const Placement& placement, const Middle& middle, unsigned k);

/// The same for shares that go from each rank to all others: a root without a partner whose own site is a line serves
/// one of two sites beyond itself, since it has one neighbour there, as the line's last rank has.
[[nodiscard]] Tree by_sites_tree_of_shares(const Cluster& cluster, const Placement& placement, Rank root, unsigned k);

}  // namespace trunkline
