// SPDX-License-Identifier: Apache-2.0
// A rank's own part of a tree, and how the segments of a message go to several trees by turns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "patterns/tree.hpp"

namespace trunkline::runtime {

inline constexpr int no_parent = -1;

/// Ranks are those of the private communicator.
struct LocalTree {
  int parent = no_parent;
  int partner = no_parent;         ///< of a root: another one, with which it exchanges what has come up
  bool is_first = true;            ///< of two such roots, whose operands stand before the other's
  bool is_plan_root = false;       ///< of two such roots the one that the plan's tree begins with
  std::vector<int> children;       ///< in sending order, without the partner
  std::vector<int> from_the_end;   ///< children by falling rank of the communicator
  std::size_t above = 0;           ///< children whose rank is above this one's
  std::size_t told_otherwise = 0;  ///< the last children that get the result of a reduction in another way

  [[nodiscard]] bool is_root() const { return parent == no_parent; }
  [[nodiscard]] bool exchanges() const { return partner != no_parent; }
  /// Whom this rank sends what has come up, and from whom it gets the rest; no_parent: it has all of it.
  [[nodiscard]] int next_up() const { return exchanges() ? partner : parent; }
  [[nodiscard]] bool is_leaf() const { return children.empty(); }
};

/// Of the `rank`-th of the members, which are given by their ranks of the private communicator.
[[nodiscard]] LocalTree local_tree(const Tree& tree, Rank rank, std::span<const int> members);

/// Adds the tree's parent, partner and children.
void add_peers(const LocalTree& tree, std::vector<int>& peers);

/// How many of the segments go to the tree of that number.
[[nodiscard]] constexpr std::uint64_t segments_of(std::uint64_t segments, std::size_t trees, std::size_t number) {
  return (segments + trees - 1 - number) / trees;
}

}  // namespace trunkline::runtime
