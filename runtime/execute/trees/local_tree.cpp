// SPDX-License-Identifier: Apache-2.0
#include "execute/trees/local_tree.hpp"

#include <algorithm>
#include <functional>

namespace trunkline::runtime {
namespace {

/// Where operands are combined by rank, those on one side come before all on the other; else any order does.
bool root_side_is_first(const Tree& tree) {
  std::vector<Rank> beyond{tree.exchange};
  for (std::size_t i = 0; i < beyond.size(); ++i) {
    if (beyond[i] == 0) return false;
    const std::vector<Rank>& children = tree.children[beyond[i]];
    beyond.insert(beyond.end(), children.begin(), children.end());
  }
  return true;
}

}  // namespace

LocalTree local_tree(const Tree& tree, Rank rank, std::span<const int> members) {
  std::vector<Rank> children = tree.children[rank];
  LocalTree local;
  if (tree.exchange != no_rank && (rank == tree.root || rank == tree.exchange)) {
    const bool is_tree_root = rank == tree.root;
    local.partner = members[is_tree_root ? tree.exchange : tree.root];
    local.is_first = is_tree_root == root_side_is_first(tree);
    local.is_plan_root = is_tree_root;
    std::erase(children, tree.exchange);
  } else if (tree.parent[rank] != no_rank) {
    local.parent = members[tree.parent[rank]];
  }
  for (const Rank child : children) local.children.push_back(members[child]);
  std::ranges::sort(children, std::greater{});
  for (const Rank child : children) local.from_the_end.push_back(members[child]);
  local.above = static_cast<std::size_t>(std::ranges::count_if(children, [&](Rank child) { return child > rank; }));
  return local;
}

void add_peers(const LocalTree& tree, std::vector<int>& peers) {
  if (tree.next_up() != no_parent) peers.push_back(tree.next_up());
  peers.insert(peers.end(), tree.children.begin(), tree.children.end());
}

}  // namespace trunkline::runtime
