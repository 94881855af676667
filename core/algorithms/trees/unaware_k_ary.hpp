// SPDX-License-Identifier: Apache-2.0
// The complete k-ary tree by rank number, blind to the network: what the papers compare against.
#pragma once

#include <stdexcept>

#include "patterns/tree.hpp"

namespace trunkline {

/// Relative rank r (root 0) sends to k r + 1, ..., k r + k. Throws std::invalid_argument where `root` is not below
/// `ranks` or k is zero.
[[nodiscard]] inline Tree unaware_k_ary_tree(Rank ranks, Rank root, unsigned k) {
  check_root(ranks, root);
  if (k == 0) throw std::invalid_argument("a k-ary tree needs k of 1 or more, not 0");
  Tree tree = root_alone(ranks, root);
  for (std::uint64_t relative = 1; relative < ranks; ++relative) {
    add_child(tree, absolute((relative - 1) / k, root, ranks), absolute(relative, root, ranks));
  }
  return tree;
}

}  // namespace trunkline
