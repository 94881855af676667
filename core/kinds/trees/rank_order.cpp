// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "kinds/trees/trees.hpp"

namespace trunkline {

namespace {

/// Ranks of a node and of all below it.
struct Span {
  Rank first;
  Rank last;
  Rank count;
};

/// `below`: of each node by itself; of so many ranks in all.
bool are_in_rows(const Tree& tree, std::vector<Span> below, Rank ranks) {
  std::vector<Rank> children_first = parents_first(tree);
  std::ranges::reverse(children_first);
  for (const Rank node : children_first) {
    const Span& part = below[node];
    if (part.last - part.first + 1 != part.count) return false;
    if (node == tree.root) break;
    if (node == tree.exchange && part.first > 0 && part.last + 1 < ranks) return false;
    Span& all = below[tree.parent[node]];
    all = {std::min(all.first, part.first), std::max(all.last, part.last), all.count + part.count};
  }
  return true;
}

}  // namespace

bool keeps_rank_order(const Tree& tree) {
  std::vector<Span> below;
  below.reserve(tree.size());
  for (Rank rank = 0; rank < tree.size(); ++rank) below.push_back({rank, rank, 1});
  return are_in_rows(tree, std::move(below), static_cast<Rank>(tree.size()));
}

bool keeps_rank_order(const HostTrees& trees) {
  const Rank root = trees.root();
  std::vector<Span> below;
  Rank ranks = 0;
  for (const std::vector<Rank>& own : trees.hosts.ranks) {
    const auto [first, last] = std::ranges::minmax(own);
    below.push_back({first, last, static_cast<Rank>(own.size())});
    ranks += below.back().count;
  }
  const Rank home = trees.over_hosts.front().root;
  const std::vector<Rank>& own = trees.hosts.ranks[home];
  for (std::size_t lane = 0; lane < std::min<std::size_t>(trees.lanes, 2); ++lane) {  // the others are as the second
    if (trees.leader(home, lane) != root) {
      // The root is above who leads its host, so not among those below.
      const auto [first, last] = std::ranges::minmax(std::span(own).subspan(1));
      below[home] = {first, last, static_cast<Rank>(own.size()) - 1};
    }
    for (const Tree& tree : trees.over_hosts) {
      if (!are_in_rows(tree, below, ranks)) return false;
    }
  }
  return true;
}

}  // namespace trunkline
