// SPDX-License-Identifier: Apache-2.0
#include "execute/trees/local_tree.hpp"

#include <algorithm>
#include <functional>

namespace trunkline::runtime {

LocalTree local_tree(const Tree& tree, Rank rank, std::span<const int> members) {
  const Rank parent = tree.parent[rank];
  LocalTree local{.parent = parent == no_rank ? no_parent : members[parent], .children = {}, .from_the_end = {}};
  std::vector<Rank> children = tree.children[rank];
  for (const Rank child : children) local.children.push_back(members[child]);
  std::ranges::sort(children, std::greater{});
  for (const Rank child : children) local.from_the_end.push_back(members[child]);
  local.above = static_cast<std::size_t>(std::ranges::count_if(children, [&](Rank child) { return child > rank; }));
  return local;
}

void add_peers(const LocalTree& tree, std::vector<int>& peers) {
  if (!tree.is_root()) peers.push_back(tree.parent);
  peers.insert(peers.end(), tree.children.begin(), tree.children.end());
}

}  // namespace trunkline::runtime
