// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/hierarchical.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/trees/k_nomial.hpp"
#include "patterns/over_hosts.hpp"

namespace trunkline {
namespace {

using Ranks = std::vector<Rank>;

/// Ranks by host: the root's host first, then the others round the end in the order of their first ranks. The root
/// leads its host.
std::vector<Ranks> ranks_by_host(const Placement& placement, Rank root) {
  RanksOfHosts hosts = ranks_of_hosts(placement, root);
  std::rotate(hosts.ranks.begin(), hosts.ranks.begin() + static_cast<std::ptrdiff_t>(hosts.root), hosts.ranks.end());
  return std::move(hosts.ranks);
}

/// The k-nomial tree over `ranks`, the first of which is its root, becomes a part of `tree`.
void add_subtree(Tree& tree, const Ranks& ranks, unsigned fan_in) {
  const auto count = static_cast<Rank>(ranks.size());
  const Tree shape = k_nomial_tree(count, 0, fan_in == any_fan_in ? std::max(count, 2U) : fan_in);
  for (Rank from = 0; from < count; ++from) {
    for (const Rank to : shape.children[from]) add_child(tree, ranks[from], ranks[to]);
  }
}

/// One level: the first of each group of `fan_in` takes the others. What is left are the first ones.
Ranks combine_groups(Tree& tree, const Ranks& contributors, unsigned fan_in) {
  Ranks firsts;
  for (std::size_t i = 0; i < contributors.size(); ++i) {
    const bool is_first = fan_in == any_fan_in ? i == 0 : i % fan_in == 0;
    if (is_first) {
      firsts.push_back(contributors[i]);
    } else {
      add_child(tree, firsts.back(), contributors[i]);
    }
  }
  return firsts;
}

/// The ranks of the root's host in the order in which they take groups: near the root, then with few children.
Ranks takers(const Tree& tree, const Ranks& own) {
  std::unordered_map<Rank, std::uint32_t> level{{tree.root, 0}};
  Ranks order{tree.root};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Rank child : tree.children[order[i]]) {
      if (std::ranges::find(own, child) == own.end()) continue;
      level.emplace(child, level.at(order[i]) + 1);
      order.push_back(child);
    }
  }
  std::ranges::sort(order, {}, [&](Rank rank) { return std::tuple(level.at(rank), tree.children[rank].size(), rank); });
  return order;
}

/// On the root's host: groups of the contributors, of which the root is the first, go to its ranks.
void take_groups(Tree& tree, const Ranks& contributors, const Ranks& own, unsigned fan_in) {
  const std::size_t count = contributors.size();
  std::size_t groups = fan_in == any_fan_in ? 1 : (count + fan_in - 1) / fan_in;
  const bool are_enough = groups <= own.size();
  groups = std::min(groups, own.size());
  const Ranks by = takers(tree, own);
  for (std::size_t i = 1; i < count; ++i) {
    const std::size_t group = are_enough && fan_in != any_fan_in ? i / fan_in : i * groups / count;
    add_child(tree, by[group], contributors[i]);
  }
}

}  // namespace

Tree hierarchical_tree(const Placement& placement, Rank root, const Hierarchy& hierarchy) {
  const auto& [host_fan_in, root_fan_in, split_levels] = hierarchy;
  const auto ranks = static_cast<Rank>(placement.size());
  check_root(ranks, root);
  if (host_fan_in == 1 || root_fan_in == 1)
    throw std::invalid_argument("a fan-in of 1 combines nothing; give 2 or more");
  const std::vector<Ranks> hosts = ranks_by_host(placement, root);
  Tree tree = root_alone(ranks, root);
  Ranks contributors;
  for (const Ranks& own : hosts) {
    add_subtree(tree, own, host_fan_in);
    contributors.push_back(own.front());
  }
  for (unsigned level = 0; level < split_levels && contributors.size() > 1; ++level) {
    contributors = combine_groups(tree, contributors, root_fan_in);
  }
  take_groups(tree, contributors, hosts.front(), root_fan_in);
  order_children(tree, placement);
  return tree;
}

void order_children(Tree& tree, const Placement& placement) {
  for (Rank rank = 0; rank < tree.size(); ++rank) std::ranges::sort(tree.children[rank]);
  deepest_first(tree);
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    std::vector<Rank>& children = tree.children[rank];
    std::stable_partition(children.begin(), children.end(),
                          [&](Rank child) { return placement[child] != placement[rank]; });
  }
}

}  // namespace trunkline
