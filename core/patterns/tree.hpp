// SPDX-License-Identifier: Apache-2.0
// A shape laid over ranks: who receives from whom, and in which order each rank sends.
#pragma once

#include <vector>

#include "network/placement.hpp"

namespace trunkline {

struct Tree {
  Rank root = 0;
  std::vector<Rank> parent;                 ///< no_rank for the root
  std::vector<std::vector<Rank>> children;  ///< in sending order
  /// One of the root's children, or no_rank. Where data go up and down, root and child send each other what has come up
  /// on their sides at once: both then have the result, and neither waits for it to come back.
  Rank exchange = no_rank;

  [[nodiscard]] std::size_t size() const noexcept { return parent.size(); }
};

/// A tree of which only the root has a place yet.
[[nodiscard]] Tree root_alone(Rank ranks, Rank root);

/// `child`, which has no parent yet, becomes the last one that `parent` sends to.
void add_child(Tree& tree, Rank parent, Rank child);

/// The tree in which each rank of `order` sends to the next one; `order` holds every rank 0 .. P-1 once.
[[nodiscard]] Tree line_through(const std::vector<Rank>& order);

/// Longest path from the root, counted in transfers. The tree must have passed check().
[[nodiscard]] std::uint32_t height(const Tree& tree);

/// Ranks from the root on, each after its parent. The tree must have passed check().
[[nodiscard]] std::vector<Rank> parents_first(const Tree& tree);

/// Sends first where most transfers still follow: the children of each rank by falling height of what hangs below.
void deepest_first(Tree& tree);

/// Largest number of children of any rank.
[[nodiscard]] std::uint32_t max_degree(const Tree& tree);

}  // namespace trunkline
