// SPDX-License-Identifier: Apache-2.0
#include "patterns/over_hosts.hpp"

#include <algorithm>
#include <utility>

namespace trunkline {

RanksOfHosts ranks_of_hosts(const Placement& placement, Rank root) {
  const auto count = static_cast<Rank>(placement.size());
  check_root(count, root);
  RanksOfHosts hosts;
  std::vector<Rank> number(1 + std::size_t{*std::ranges::max_element(placement)}, no_rank);
  std::vector<Rank> ranks_on(number.size(), 0);
  for (const HostIndex host : placement) ++ranks_on[host];
  for (Rank rank = 0; rank < count; ++rank) {
    Rank& here = number[placement[rank]];
    if (here == no_rank) {
      here = static_cast<Rank>(hosts.ranks.size());
      hosts.placement.push_back(placement[rank]);
      hosts.ranks.emplace_back().reserve(ranks_on[placement[rank]]);
    }
    hosts.ranks[here].push_back(rank);
  }
  hosts.root = number[placement[root]];
  std::vector<Rank>& own = hosts.ranks[hosts.root];
  const auto at = std::ranges::find(own, root);
  std::rotate(own.begin(), at, at + 1);
  return hosts;
}

Tree with_all_ranks(const Tree& over_hosts, const RanksOfHosts& hosts, std::size_t lane) {
  std::size_t count = 0;
  for (const std::vector<Rank>& own : hosts.ranks) count += own.size();
  const auto leader = [&](Rank node) {
    const std::vector<Rank>& own = hosts.ranks[node];
    return own[lane % own.size()];
  };
  const Rank root = hosts.ranks[over_hosts.root].front();
  Tree tree = root_alone(static_cast<Rank>(count), root);
  for (Rank node = 0; node < over_hosts.size(); ++node) {
    tree.children[leader(node)].reserve(over_hosts.children[node].size() + hosts.ranks[node].size());
  }
  if (over_hosts.exchange != no_rank) {
    tree.exchange = leader(over_hosts.exchange);
    add_child(tree, root, tree.exchange);
  }
  if (leader(over_hosts.root) != root) add_child(tree, root, leader(over_hosts.root));
  for (Rank node = 0; node < over_hosts.size(); ++node) {
    for (const Rank child : over_hosts.children[node]) {
      if (child != over_hosts.exchange) add_child(tree, leader(node), leader(child));
    }
    for (const Rank rank : hosts.ranks[node]) {
      if (rank != leader(node) && rank != root) add_child(tree, leader(node), rank);
    }
  }
  return tree;
}

HostTrees host_trees(std::vector<Tree> over_hosts, RanksOfHosts hosts, std::size_t lanes) {
  std::size_t most = 0;
  for (const std::vector<Rank>& own : hosts.ranks) most = std::max(most, own.size());
  return {.over_hosts = std::move(over_hosts), .hosts = std::move(hosts), .lanes = std::min(lanes, most)};
}

std::vector<Tree> over_ranks(const HostTrees& trees) {
  std::vector<Tree> all;
  for (std::size_t lane = 0; lane < trees.lanes; ++lane) {
    for (const Tree& tree : trees.over_hosts) all.push_back(with_all_ranks(tree, trees.hosts, lane));
  }
  return all;
}

std::vector<Tree> in_lanes(std::span<const Tree> over_hosts, const RanksOfHosts& hosts, std::size_t lanes) {
  return over_ranks(host_trees({over_hosts.begin(), over_hosts.end()}, hosts, lanes));
}

}  // namespace trunkline
