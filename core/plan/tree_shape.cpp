// SPDX-License-Identifier: Apache-2.0
#include "plan/tree_shape.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trunkline {

TreeShape shape_of(const Tree& tree, const Placement& placement, Rank kept) {
  const auto is_local_leaf = [&](Rank rank) {
    return tree.children[rank].empty() && rank != tree.root && rank != tree.exchange && rank != kept &&
           placement[tree.parent[rank]] == placement[rank];
  };
  TreeShape shape;
  std::vector<std::uint32_t> node_of(tree.size(), TreeShape::no_node);
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    if (is_local_leaf(rank)) continue;
    node_of[rank] = static_cast<std::uint32_t>(shape.nodes.size());
    shape.nodes.push_back({.rank = rank, .host = placement[rank]});
  }
  for (TreeShape::Node& node : shape.nodes) {
    for (const Rank child : tree.children[node.rank]) {
      if (node_of[child] == TreeShape::no_node) {
        ++node.further_leaves;
      } else {
        node.children.push_back({node_of[child], std::exchange(node.further_leaves, 0)});
      }
    }
  }
  shape.root = node_of[tree.root];
  if (tree.exchange != no_rank) shape.exchange = node_of[tree.exchange];
  return shape;
}

LeadersByRank leaders_of(const HostTrees& trees, std::size_t lane) {
  const Tree& over_hosts = trees.over_hosts.front();  // all have the same root
  const Rank root = trees.root();
  std::vector<std::pair<Rank, Rank>> leaders;
  leaders.reserve(over_hosts.size() + 1);
  for (Rank number = 0; number < over_hosts.size(); ++number) leaders.emplace_back(trees.leader(number, lane), number);
  if (trees.leader(over_hosts.root, lane) != root) leaders.emplace_back(root, no_rank);
  std::ranges::sort(leaders);
  LeadersByRank numbers;
  numbers.reserve(leaders.size());
  for (const auto& [rank, number] : leaders) numbers.push_back(number);
  return numbers;
}

TreeShape shape_of(const HostTrees& trees, std::size_t tree, std::size_t lane) {
  const Tree& over_hosts = trees.over_hosts[tree];
  const Rank root = trees.root();
  const bool root_leads = trees.leader(over_hosts.root, lane) == root;
  TreeShape shape;
  std::vector<std::uint32_t> node_of(over_hosts.size());
  for (const Rank number : leaders_of(trees, lane)) {
    const auto node = static_cast<std::uint32_t>(shape.nodes.size());
    (number == no_rank ? shape.root : node_of[number]) = node;
    shape.nodes.push_back({.rank = number == no_rank ? root : trees.leader(number, lane),
                           .host = trees.hosts.placement[number == no_rank ? over_hosts.root : number]});
  }
  if (root_leads) {
    shape.root = node_of[over_hosts.root];
  } else {
    shape.nodes[shape.root].children.push_back({node_of[over_hosts.root], 0});
  }
  for (Rank number = 0; number < over_hosts.size(); ++number) {
    TreeShape::Node& node = shape.nodes[node_of[number]];
    for (const Rank child : over_hosts.children[number]) node.children.push_back({node_of[child], 0});
    const Rank others = static_cast<Rank>(trees.hosts.ranks[number].size()) - 1;
    node.further_leaves = number == over_hosts.root && !root_leads ? others - 1 : others;
  }
  // Who leads the root's host and serves nobody is a local leaf, as any other of its host.
  const std::uint32_t home = node_of[over_hosts.root];
  if (!root_leads && !shape.nodes[home].sends()) {
    shape.nodes.erase(shape.nodes.begin() + home);
    shape.root = 0;
    shape.nodes.front().children.clear();
    shape.nodes.front().further_leaves = 1;
  }
  return shape;
}

std::vector<std::uint32_t> parents_first(const TreeShape& shape) {
  std::vector<std::uint32_t> order{shape.root};
  order.reserve(shape.nodes.size());
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const TreeShape::Child& child : shape.nodes[order[next]].children) order.push_back(child.node);
  }
  return order;
}

FirstSends first_sends(const TreeShape& shape) {
  std::vector<std::uint32_t> round(shape.nodes.size(), 0);
  FirstSends sent;
  std::vector<std::pair<std::uint32_t, FirstSend>> all;  // with its round, from 1 on
  for (const std::uint32_t parent : parents_first(shape)) {
    const TreeShape::Node& node = shape.nodes[parent];
    std::uint32_t next = round[parent];
    Rank local_leaves = 0;
    for (const TreeShape::Child& child : node.children) {
      next += child.local_leaves;
      local_leaves += child.local_leaves;
      if (child.node == shape.exchange) continue;
      round[child.node] = ++next;
      all.emplace_back(next,
                       FirstSend{.parent = parent, .to = child.node, .local_leaves = std::exchange(local_leaves, 0)});
    }
    local_leaves += node.further_leaves;
    next += node.further_leaves;
    if (local_leaves > 0) all.emplace_back(next + 1, FirstSend{.parent = parent, .local_leaves = local_leaves});
  }
  for (const auto& [in_round, one] : all) {
    if (sent.begin.size() <= in_round) sent.begin.resize(in_round + 1, 0);
    ++sent.begin[in_round];
  }
  std::partial_sum(sent.begin.begin(), sent.begin.end(), sent.begin.begin());
  std::vector<std::size_t> place(sent.begin.begin(), sent.begin.end() - 1);
  sent.sends.resize(all.size());
  for (const auto& [in_round, one] : all) sent.sends[place[in_round - 1]++] = one;
  return sent;
}

}  // namespace trunkline
