// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/k_nomial.hpp"

#include <stdexcept>
#include <string>

namespace trunkline {

Tree k_nomial_tree(Rank ranks, Rank root, unsigned k) {
  check_root(ranks, root);
  if (k < 2) throw std::invalid_argument("a k-nomial tree needs k of 2 or more, not " + std::to_string(k));
  Tree tree = root_alone(ranks, root);
  std::uint64_t width = 1;
  while (width < ranks) width *= k;
  for (width /= k; width > 0; width /= k) {
    // Every rank that has the message and a gap of `width` behind it fills the gap, one multiple of width a child.
    for (std::uint64_t from = 0; from < ranks; from += width * k) {
      for (std::uint64_t to = from + width; to < from + width * k && to < ranks; to += width) {
        add_child(tree, absolute(from, root, ranks), absolute(to, root, ranks));
      }
    }
  }
  return tree;
}

}  // namespace trunkline
