// SPDX-License-Identifier: Apache-2.0
#include "plan/tree.hpp"

#include <algorithm>
#include <stdexcept>

namespace trunkline {

Tree line_through(const std::vector<Rank>& order) {
  if (order.empty()) {
    throw std::invalid_argument("a line through no ranks");
  }
  Tree tree{.root = order.front(),
            .parent = std::vector<Rank>(order.size(), no_rank),
            .children = std::vector<std::vector<Rank>>(order.size())};
  for (std::size_t i = 1; i < order.size(); ++i) {
    tree.parent.at(order[i]) = order[i - 1];
    tree.children.at(order[i - 1]).push_back(order[i]);
  }
  return tree;
}

std::uint32_t height(const Tree& tree) {
  std::uint32_t levels = 0;
  std::vector<Rank> level{tree.root};
  std::vector<Rank> next;
  while (true) {
    next.clear();
    for (const Rank rank : level) {
      const std::vector<Rank>& children = tree.children[rank];
      next.insert(next.end(), children.begin(), children.end());
    }
    if (next.empty()) {
      return levels;
    }
    ++levels;
    level.swap(next);
  }
}

std::uint32_t max_degree(const Tree& tree) {
  std::size_t most = 0;
  for (const std::vector<Rank>& children : tree.children) {
    most = std::max(most, children.size());
  }
  return static_cast<std::uint32_t>(most);
}

}  // namespace trunkline
