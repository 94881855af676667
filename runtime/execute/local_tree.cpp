// SPDX-License-Identifier: Apache-2.0
#include "execute/local_tree.hpp"

namespace trunkline::runtime {

LocalTree local_tree(const Tree& tree, Rank rank, std::span<const int> members) {
  const Rank parent = tree.parent[rank];
  LocalTree local{.parent = parent == no_rank ? no_parent : members[parent], .children = {}};
  for (const Rank child : tree.children[rank]) local.children.push_back(members[child]);
  return local;
}

void add_peers(const LocalTree& tree, std::vector<int>& peers) {
  if (!tree.is_root()) peers.push_back(tree.parent);
  peers.insert(peers.end(), tree.children.begin(), tree.children.end());
}

}  // namespace trunkline::runtime
