// SPDX-License-Identifier: Apache-2.0
#include "execute/trees/host_group.hpp"

#include <algorithm>

namespace trunkline::runtime {

HostGroup host_group(const Tree& tree, Rank rank, std::span<const int> members, std::span<const HostIndex> hosts) {
  Rank top = rank;
  while (tree.parent[top] != no_rank && hosts[tree.parent[top]] == hosts[rank]) top = tree.parent[top];
  HostGroup group{.own = members[rank], .top = members[top], .is_top = top == rank};
  std::vector<Rank> below{top};
  for (std::size_t i = 0; i < below.size(); ++i) {
    group.ranks.push_back(members[below[i]]);
    for (const Rank child : tree.children[below[i]]) {
      if (hosts[child] == hosts[rank]) {
        below.push_back(child);
      } else if (below[i] == rank) {
        group.far.push_back(members[child]);
      }
    }
  }
  std::ranges::sort(group.ranks);
  return group;
}

}  // namespace trunkline::runtime
