// SPDX-License-Identifier: Apache-2.0
// The flat tree: the root sends to everyone.
#pragma once

#include "patterns/tree.hpp"

namespace trunkline {

/// The root sends to root + 1, ..., ranks - 1, 0, ..., root - 1, one after another: one sender, so nothing contends.
/// Cost X (P - 1) T(m/X). Throws std::invalid_argument where `root` is not below `ranks`.
[[nodiscard]] inline Tree flat_tree(Rank ranks, Rank root) {
  check_root(ranks, root);
  Tree tree = root_alone(ranks, root);
  for (Rank i = 1; i < ranks; ++i) add_child(tree, root, (root + i) % ranks);
  return tree;
}

}  // namespace trunkline
