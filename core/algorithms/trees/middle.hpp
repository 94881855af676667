// SPDX-License-Identifier: Apache-2.0
// Where data meet that go up to a root and down again, when any rank may be it: in the middle of the longest way, by
// the latencies of all links. Over long links it counts where that is.
#pragma once

#include "network/cluster.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// A root, or two that exchange what has come up to each.
struct Middle {
  Rank root = 0;
  Rank exchange = no_rank;  ///< the other one; no_rank: there is one root
};

/// The rank from which the farthest other rank is nearest; `root` itself where no other is nearer by a hundredth. From
/// all ranks to it and back takes twice as long as the way from there to the farthest. Throws std::invalid_argument
/// where `root` or a host of the placement is out of range. Time O(nodes + ranks).
[[nodiscard]] Rank rank_in_the_middle(const Cluster& cluster, const Placement& placement, Rank root);

/// Two roots, each the first rank of its site (sites_seen.hpp), on either end of the long link that lies in the middle
/// of the longest way between two ranks. With h and g from them to the farthest rank on their sides, and w between the
/// two, all ranks have the result after max(2 h, 2 g, h + w + g): where all sites have ranks, that is the longest way
/// itself, which nothing can be below; where several meet at one without ranks, two off the longest way may be a little
/// faster. One root, that of rank_in_the_middle(), where two would not
/// be faster by a hundredth. Throws as above. Time O(nodes + ranks) * a few.
[[nodiscard]] Middle middle_of(const Cluster& cluster, const Placement& placement, Rank root);

}  // namespace trunkline
