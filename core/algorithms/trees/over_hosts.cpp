// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/over_hosts.hpp"

#include <algorithm>
#include <unordered_map>

namespace trunkline {

RanksOfHosts ranks_of_hosts(const Placement& placement, Rank root) {
  const auto count = static_cast<Rank>(placement.size());
  check_root(count, root);
  RanksOfHosts hosts;
  std::unordered_map<HostIndex, std::size_t> number;
  for (Rank rank = 0; rank < count; ++rank) {
    const auto [found, is_new] = number.try_emplace(placement[rank], hosts.ranks.size());
    if (is_new) {
      hosts.placement.push_back(placement[rank]);
      hosts.ranks.emplace_back();
    }
    hosts.ranks[found->second].push_back(rank);
  }
  hosts.root = static_cast<Rank>(number.at(placement[root]));
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

std::vector<Tree> in_lanes(std::span<const Tree> over_hosts, const RanksOfHosts& hosts, std::size_t lanes) {
  std::vector<Tree> all;
  std::size_t most = 0;
  for (const std::vector<Rank>& own : hosts.ranks) most = std::max(most, own.size());
  for (std::size_t lane = 0; lane < std::min(lanes, most); ++lane) {
    for (const Tree& tree : over_hosts) all.push_back(with_all_ranks(tree, hosts, lane));
  }
  return all;
}

}  // namespace trunkline
