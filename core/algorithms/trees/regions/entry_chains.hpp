// SPDX-License-Identifier: Apache-2.0
// An order of ranks in which every region stands in a row: where regions begin and end, and what may be entered where.
#pragma once

#include <cstdint>
#include <vector>

#include "network/regions.hpp"

namespace trunkline {

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
