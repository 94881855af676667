// SPDX-License-Identifier: Apache-2.0
// A tree from the parent of each rank.
#pragma once

#include <vector>

#include "patterns/tree.hpp"

namespace trunkline {

/// Children by rising number, until label() orders them.
[[nodiscard]] inline Tree tree_by_parents(Rank root, const std::vector<Rank>& parent) {
  Tree tree = root_alone(static_cast<Rank>(parent.size()), root);
  for (Rank rank = 0; rank < parent.size(); ++rank) {
    if (rank != root) add_child(tree, parent[rank], rank);
  }
  return tree;
}

}  // namespace trunkline
