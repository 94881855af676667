// SPDX-License-Identifier: Apache-2.0
// Trees that enter each site once, along its long link, and spread inside without contention: MagPIe's rule (Kielmann
// and others, 1999), with sites that are entered from each other where long links make a line. Cost: the long links'
// latencies on the way, and K (X + H - 1) T(m / X) where hosts' links are slower than long ones.
#pragma once

#include "patterns/tree.hpp"

namespace trunkline {

/// Degree at most k, but where a site has too few ranks to serve the sites beyond it. Sites are those of
/// network/long_links.hpp. The first rank in a site, the nearest one to the link by which it is entered, serves sites
/// beyond it first, the farthest ahead of others. Where it has more of them than it may serve, ranks of its own site
/// that it reaches take them over. A site beyond which there is none has the contention-free k-ary tree (k_ary.hpp);
/// others are filled level by level, with no more than one sender on a channel wherever somebody else is free to send.
/// There the first rank of each host serves up to k others of it besides, which takes no link. A site without ranks is
/// passed: what is beyond it is served from before it, so that its link is crossed once for each such site. Without
/// long links it is the k-ary tree. Throws std::invalid_argument where `root` or a host of `placement` is out of range,
/// or k is below 2. Time O(hosts * hosts * length of a path + ranks) of a site with others beyond it.
[[nodiscard]] Tree by_sites_tree(const Cluster& cluster, const Placement& placement, Rank root, unsigned k);

/// For data that go to a root and back again to all, where any rank may be it: the one from which the farthest other
/// rank is nearest, by the latencies on the way; `root` itself where no other is nearer by a hundredth. Throws as
/// above. Time O(nodes + ranks).
[[nodiscard]] Rank rank_in_the_middle(const Cluster& cluster, const Placement& placement, Rank root);

}  // namespace trunkline
