// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/unaware_k_ary.hpp"

#include <stdexcept>

namespace trunkline {

Tree unaware_k_ary_tree(Rank ranks, Rank root, unsigned k) {
  check_root(ranks, root);
  if (k == 0) throw std::invalid_argument("a k-ary tree needs k of 1 or more, not 0");
  Tree tree = root_alone(ranks, root);
  for (std::uint64_t relative = 1; relative < ranks; ++relative) {
    add_child(tree, absolute((relative - 1) / k, root, ranks), absolute(relative, root, ranks));
  }
  return tree;
}

}  // namespace trunkline
