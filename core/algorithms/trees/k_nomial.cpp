// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/k_nomial.hpp"

#include <stdexcept>
#include <string>

namespace trunkline {

namespace {

/// No distance is so large; a power of k.
std::uint64_t beyond_all(Rank ranks, Rank root, unsigned k) {
  check_root(ranks, root);
  if (k < 2) throw std::invalid_argument("a k-nomial tree needs k of 2 or more, not " + std::to_string(k));
  std::uint64_t width = 1;
  while (width < ranks) width *= k;
  return width;
}

}  // namespace

void for_each_k_nomial_send(Rank ranks, Rank root, unsigned k, const std::function<void(Rank, Rank)>& use) {
  for (std::uint64_t width = beyond_all(ranks, root, k) / k; width > 0; width /= k) {
    // Every rank that has the message and a gap of `width` behind it fills the gap, one multiple of width a child.
    for (std::uint64_t from = 0; from < ranks; from += width * k) {
      for (std::uint64_t to = from + width; to < from + width * k && to < ranks; to += width) {
        use(absolute(from, root, ranks), absolute(to, root, ranks));
      }
    }
  }
}

Tree k_nomial_tree(Rank ranks, Rank root, unsigned k) {
  Tree tree = root_alone(ranks, root);
  for_each_k_nomial_send(ranks, root, k, [&](Rank parent, Rank child) { add_child(tree, parent, child); });
  return tree;
}

std::vector<Rank> k_nomial_children_of_root(Rank ranks, Rank root, unsigned k) {
  std::vector<Rank> children;
  for (std::uint64_t width = beyond_all(ranks, root, k) / k; width > 0; width /= k) {
    for (std::uint64_t to = width; to < width * k && to < ranks; to += width) {
      const std::uint64_t child = to + root;  // round the end
      children.push_back(static_cast<Rank>(child < ranks ? child : child - ranks));
    }
  }
  return children;
}

}  // namespace trunkline
