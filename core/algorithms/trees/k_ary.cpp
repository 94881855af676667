// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/k_ary.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>

#include "algorithms/trees/linear.hpp"
#include "algorithms/trees/longest_way.hpp"
#include "algorithms/trees/regions/height_bound.hpp"
#include "algorithms/trees/regions/interval_tree.hpp"
#include "algorithms/trees/regions/region_timetable.hpp"
#include "network/capacity.hpp"

namespace trunkline {
namespace {

/// How deep each region lies.
std::vector<std::uint32_t> depths(const Regions& regions) {
  std::vector<std::uint32_t> depth(regions.all.size(), 0);
  for (RegionId region = 1; region < regions.all.size(); ++region) {
    depth[region] = depth[regions.all[region].parent] + 1;
  }
  return depth;
}

/// Depth of the innermost region that holds both.
std::uint32_t common_depth(const Regions& regions, const std::vector<std::uint32_t>& depth, Rank a, Rank b) {
  RegionId u = regions.of_rank[a];
  RegionId v = regions.of_rank[b];
  while (u != v) {
    RegionId& deeper = depth[u] >= depth[v] ? u : v;
    deeper = regions.all[deeper].parent;
  }
  return depth[u];
}

/// Ranks before their children, what stays furthest inside first: a region that is left comes last where it is left, so
/// that its ranks stand in a row.
std::vector<Rank> order_of(const Regions& regions, const Tree& tree) {
  const std::vector<std::uint32_t> depth = depths(regions);
  const std::vector<Rank> by_parent = parents_first(tree);
  std::vector<std::uint32_t> outermost(tree.size());  // region that a rank's subtree or the send to it touches
  for (std::size_t i = by_parent.size(); i > 0; --i) {
    const Rank rank = by_parent[i - 1];
    const Rank parent = tree.parent[rank];
    outermost[rank] = parent == no_rank ? 0 : common_depth(regions, depth, rank, parent);
    for (const Rank child : tree.children[rank]) outermost[rank] = std::min(outermost[rank], outermost[child]);
  }
  std::vector<Rank> order;
  order.reserve(tree.size());
  std::vector<Rank> open{tree.root};
  std::vector<Rank> children;
  while (!open.empty()) {
    const Rank rank = open.back();
    open.pop_back();
    order.push_back(rank);
    children = tree.children[rank];
    std::ranges::stable_sort(children, std::less{}, [&](Rank child) { return outermost[child]; });
    open.insert(open.end(), children.begin(), children.end());  // the innermost one is taken up next
  }
  return order;
}

std::vector<Rank> line_order(const Cluster& cluster, const Placement& placement, Rank root) {
  return parents_first(linear_tree(cluster, placement, root));
}

/// The lowest tree that enters each region once and leaves it from one rank.
Tree lowest_tree(const Regions& regions, const std::vector<Rank>& line, unsigned k) {
  Tree best = timetable_tree(RegionTimetables(regions, k));
  const std::uint32_t bound = height_bound(regions, k);
  std::uint32_t lowest = height(best);
  const auto consider = [&](const std::vector<Rank>& order) {
    auto tree = interval_tree(regions, order, k, lowest);
    if (!tree) return;
    best = std::move(*tree);
    lowest = height(best);
  };
  if (lowest > bound) consider(order_of(regions, best));
  if (lowest > bound) consider(line);
  return best;
}

}  // namespace

Tree k_ary_tree(const Cluster& cluster, const Placement& placement, Rank root, unsigned k) {
  if (k == 0) throw std::invalid_argument("a k-ary tree needs k of 1 or more, not 0");
  if (k == 1) return linear_tree(cluster, placement, root);
  const std::vector<Rank> line = line_order(cluster, placement, root);
  Tree best = lowest_tree(regions_from(cluster, placement, root), line, k);
  const std::vector<std::uint32_t> capacities = capacities_of(cluster, placement);
  if (any_above_one(capacities)) {
    Tree wide = lowest_tree(regions_from(cluster, placement, root, capacities), line, k);
    if (are_lower(cluster, placement, {&wide, 1}, {&best, 1})) best = std::move(wide);
  }
  deepest_first(best);
  return best;
}

Tree algorithm_2_tree(const Cluster& cluster, const Placement& placement, Rank root, unsigned k) {
  if (k == 0) throw std::invalid_argument("a k-ary tree needs k of 1 or more, not 0");
  const Regions regions = regions_from(cluster, placement, root);
  auto tree = interval_tree(regions, line_order(cluster, placement, root), k);
  if (!tree) throw std::length_error("Algorithm 2 over that many switches in a row needs too much memory");
  return std::move(*tree);
}

}  // namespace trunkline
