// SPDX-License-Identifier: Apache-2.0
#include "execute/trees/host_group.hpp"

#include <algorithm>
#include <iterator>

namespace trunkline::runtime {
namespace {

/// `top` and all that hang below it on its host, numbered as the members are.
std::vector<int> together_below(const Tree& tree, Rank top, std::span<const int> members,
                                std::span<const HostIndex> hosts) {
  std::vector<int> ranks;
  std::vector<Rank> below{top};
  for (std::size_t i = 0; i < below.size(); ++i) {
    ranks.push_back(members[below[i]]);
    std::ranges::copy_if(tree.children[below[i]], std::back_inserter(below),
                         [&](Rank child) { return hosts[child] == hosts[top]; });
  }
  std::ranges::sort(ranks);
  return ranks;
}

}  // namespace

HostGroup host_group(const Tree& tree, Rank rank, std::span<const int> members, std::span<const HostIndex> hosts) {
  Rank top = rank;
  while (tree.parent[top] != no_rank && hosts[tree.parent[top]] == hosts[rank]) top = tree.parent[top];
  HostGroup group{.ranks = together_below(tree, top, members, hosts),
                  .own = members[rank],
                  .top = members[top],
                  .is_top = top == rank};
  if (tree.parent[top] != no_rank) group.up = members[tree.parent[top]];
  for (const Rank child : tree.children[rank]) {
    if (hosts[child] == hosts[rank]) continue;
    group.far.push_back({.child = members[child], .ranks = together_below(tree, child, members, hosts)});
  }
  return group;
}

}  // namespace trunkline::runtime
