// SPDX-License-Identifier: Apache-2.0
// Algorithm 2: the contention-free binary tree over a depth-first order of the ranks, and its extension to k children.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "network/regions.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

/// Algorithm 2 of Patarasuk, Faraj, Yuan (2008): rank i of the order hands on to i + 1 and to a rank k further on, each
/// the root of the tree over the ranks up to the next one, such that i -> k shares no channel with the tree over
/// i + 1 ... k - 1. Of all such trees, one of least height (k = 2; each further child takes the most it can).
///
/// In a depth-first order every region is an interval [lo, hi]. Of two neighbouring subtrees, from p and from q, the
/// transfer i -> q clashes with the first where both leave a region of i, lo <= i < p <= hi < q - 1, or both enter a
/// region of q, p < lo < q. That replaces edge sets. reach(i, h), the last rank that a tree of height h from i can
/// cover, replaces the table over all pairs: a tree over [i, j] cut off earlier is one over [i, j'].
///
/// `order` starts at the root and holds each region's ranks in a row; empty where it does not, where no such tree is
/// lower than `below`, or where the tree would be so high (a chain of switches with a host each) that the table would
/// not fit in memory. What a rank may hand on to stands on one chain (EntryChains), of which the furthest reaching
/// one is found by jumps: time O(ranks * height * log(ranks)), memory O(ranks * height), of no more levels than
/// `below`.
[[nodiscard]] std::optional<Tree> interval_tree(const Regions& regions, const std::vector<Rank>& order, unsigned k,
                                                std::uint32_t below = std::numeric_limits<std::uint32_t>::max());

using Place = std::uint32_t;  ///< in the order

/// Regions as intervals of the order.
struct Intervals {
  std::vector<Place> first;
  std::vector<Place> last;

  Intervals(const Regions& regions, const std::vector<Rank>& order);

  /// Whether no region has others' ranks between its own.
  [[nodiscard]] bool in_a_row(const Regions& regions) const;
};

/// What may be entered after a place p, as far as regions go: p + 1, then whatever stands after that: after the whole
/// region where one begins there, since no rank outside enters it elsewhere than at its first place. So these chains
/// join to a tree whose root is the end, and every part of a chain goes from inner regions to outer ones. Jumps as in
/// Paths skip parts of a chain.
struct EntryChains {
  std::vector<RegionId> around;  ///< innermost region of a place and of the one before it
  std::vector<Place> next;
  std::vector<Place> jump;

  /// The intervals are in a row. Time O(ranks + regions).
  EntryChains(const Regions& regions, const std::vector<Rank>& order, const Intervals& intervals);
};

}  // namespace trunkline
