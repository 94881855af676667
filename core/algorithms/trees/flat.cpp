// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/flat.hpp"

namespace trunkline {

Tree flat_tree(Rank ranks, Rank root) {
  check_root(ranks, root);
  Tree tree = root_alone(ranks, root);
  for (Rank i = 1; i < ranks; ++i) add_child(tree, root, (root + i) % ranks);
  return tree;
}

}  // namespace trunkline
