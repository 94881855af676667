// SPDX-License-Identifier: Apache-2.0
// Two trees at once, each carrying every other segment: full bandwidth at the height of a binary tree.
#pragma once

#include <array>

#include "patterns/tree.hpp"

namespace trunkline {

/// After Sanders, Speck, Traeff (2009): two binary trees in which a rank that hands on in one is a leaf of the other,
/// so that it sends no more than the message once; the root sends to one rank in each. Laid over the switches: ranks
/// hand on in the first and the second tree by turns in depth-first order, and each tree enters every region
/// (regions.hpp) once. Then what hands on inside a region just suffices for it, whatever the region, and both trees
/// together leave it at most twice: no channel carries more than the message once. Where trunks have room for several
/// senders (network/capacity.hpp) and trees that use it are lower, they are taken. Time O(ranks + regions), but for
/// sorting each region's parts. Throws std::invalid_argument where `root` or a host is out of range.
[[nodiscard]] std::array<Tree, 2> two_tree(const Cluster& cluster, const Placement& placement, Rank root);

}  // namespace trunkline
