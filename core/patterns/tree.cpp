// SPDX-License-Identifier: Apache-2.0
#include "patterns/tree.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace trunkline {

Tree root_alone(Rank ranks, Rank root) {
  return {.root = root, .parent = std::vector<Rank>(ranks, no_rank), .children = std::vector<std::vector<Rank>>(ranks)};
}

void add_child(Tree& tree, Rank parent, Rank child) {
  tree.parent[child] = parent;
  tree.children[parent].push_back(child);
}

Tree line_through(const std::vector<Rank>& order) {
  if (order.empty()) {
    throw std::invalid_argument("a line through no ranks");
  }
  Tree tree = root_alone(static_cast<Rank>(order.size()), order.front());
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

std::vector<Rank> parents_first(const Tree& tree) {
  std::vector<Rank> order{tree.root};
  order.reserve(tree.size());
  for (std::size_t next = 0; next < order.size(); ++next) {
    const std::vector<Rank>& children = tree.children[order[next]];
    order.insert(order.end(), children.begin(), children.end());
  }
  return order;
}

void deepest_first(Tree& tree) {
  const std::vector<Rank> order = parents_first(tree);
  std::vector<std::uint32_t> below(tree.size(), 0);
  for (std::size_t i = order.size(); i > 1; --i) {
    const Rank rank = order[i - 1];
    std::uint32_t& parents = below[tree.parent[rank]];
    parents = std::max(parents, below[rank] + 1);
  }
  for (std::vector<Rank>& children : tree.children) {
    std::ranges::stable_sort(children, std::greater{}, [&](Rank rank) { return below[rank]; });
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
