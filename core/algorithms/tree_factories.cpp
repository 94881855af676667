// SPDX-License-Identifier: Apache-2.0
#include "algorithms/tree_factories.hpp"

#include <concepts>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/trees/by_sites.hpp"
#include "algorithms/trees/flat.hpp"
#include "algorithms/trees/hierarchical.hpp"
#include "algorithms/trees/k_ary.hpp"
#include "algorithms/trees/k_nomial.hpp"
#include "algorithms/trees/lane_tree.hpp"
#include "algorithms/trees/linear.hpp"
#include "algorithms/trees/packed_by_sites.hpp"
#include "algorithms/trees/two_tree.hpp"
#include "algorithms/trees/unaware_k_ary.hpp"
#include "algorithms/trees/unaware_linear.hpp"
#include "algorithms/weighted/shapes.hpp"
#include "kinds/trees/trees.hpp"
#include "model/transfer/wire.hpp"
#include "network/long_links.hpp"
#include "network/paths.hpp"
#include "plan/checker.hpp"
#include "weighted_graph/cluster_graph.hpp"

namespace trunkline {
namespace {

/// `lay(placement, root)` lays one tree; here over hosts, as over_hosts() does.
template <std::invocable<const Placement&, Rank> Lay>
Plan lay_one_over_hosts(const Ground& on, Lay lay) {
  RanksOfHosts hosts = ranks_of_hosts(on.placement, on.root);
  if (!hosts.any_is_shared(on.placement.size())) return lay_one(lay(on.placement, on.root));
  std::vector<Tree> tree{lay(hosts.placement, hosts.root)};
  return plan_of(host_trees(std::move(tree), std::move(hosts)));
}

/// Where data go up and down again, any rank may be the root, or two may exchange; over long links it matters which.
bool may_choose_root(const Ground& on) {
  return facts_of(on.collective).direction == Direction::up_and_down && spans_sites(*on.cluster, on.placement);
}

}  // namespace

Plan lay_one(Tree tree) {
  Trees trees;
  trees.push_back(std::move(tree));
  return plan_of(std::move(trees));
}

HostTrees two_trees_over_hosts(const Ground& on) {
  RanksOfHosts hosts = ranks_of_hosts(on.placement, on.root);
  auto trees = two_tree(*on.cluster, hosts.placement, hosts.root);
  return host_trees({std::move(trees[0]), std::move(trees[1])}, std::move(hosts), on.lanes);
}

Plan lay_linear(const Ground& on) {
  return lay_one_over_hosts(
      on, [&](const Placement& placement, Rank root) { return linear_tree(*on.cluster, placement, root); });
}

Plan lay_k_ary(const Ground& on) {
  return lay_one_over_hosts(
      on, [&](const Placement& placement, Rank root) { return k_ary_tree(*on.cluster, placement, root, on.k); });
}

Middle middle_or_root(const Ground& on, const Placement& placement, Rank root) {
  return may_choose_root(on) ? middle_of(*on.cluster, placement, root) : Middle{.root = root};
}

Plan lay_by_sites(const Ground& on) {
  return lay_one(over_hosts(on.placement, on.root, [&](const Placement& placement, Rank root) {
    if (facts_of(on.collective).gathers_shares()) {
      return by_sites_tree_of_shares(*on.cluster, placement, rank_in_the_middle(*on.cluster, placement, root), on.k);
    }
    const Middle middle = middle_or_root(on, placement, root);
    return by_sites_tree(*on.cluster, placement, middle, on.k);
  }));
}

Plan lay_by_sites_in_lanes(const Ground& on) {
  const RanksOfHosts hosts = ranks_of_hosts(on.placement, on.root);
  const Middle middle = middle_or_root(on, hosts.placement, hosts.root);
  const Tree tree = by_sites_tree(*on.cluster, hosts.placement, middle, on.k);
  return plan_of(in_lanes(std::span(&tree, 1), hosts, on.lanes));
}

Plan lay_packed_by_sites(const Ground& on) {
  const Direction direction = *facts_of(on.collective).direction;
  const RanksOfHosts hosts = ranks_of_hosts(on.placement, on.root);
  const Rank root = may_choose_root(on) ? rank_in_the_middle(*on.cluster, hosts.placement, hosts.root) : hosts.root;
  const Trees trees = packed_by_sites(*on.cluster, hosts.placement, root, on.k, direction);
  return plan_of(in_lanes(trees, hosts, 1));
}

Plan lay_lane_tree(const Ground& on) { return lay_one(lane_tree(*on.cluster, on.placement, on.root, on.k)); }

Plan lay_flat(const Ground& on) { return lay_one(flat_tree(on.ranks(), on.root)); }
Plan lay_k_nomial(const Ground& on) { return lay_one(k_nomial_tree(on.ranks(), on.root, on.k)); }
Plan lay_hierarchical(const Ground& on) {
  return lay_one(
      hierarchical_tree(on.placement, on.root, {.host_fan_in = on.k, .root_fan_in = on.k, .split_levels = all_levels}));
}

Plan lay_unaware_linear(const Ground& on) { return lay_one(unaware_linear_tree(on.ranks(), on.root)); }
Plan lay_unaware_k_ary(const Ground& on) { return lay_one(unaware_k_ary_tree(on.ranks(), on.root, on.k)); }

Plan lay_two_tree(const Ground& on) { return plan_of(two_trees_over_hosts(on)); }

Plan lay_weighted(const Ground& on) {
  check_placement(*on.cluster, on.placement, on.root);
  const Paths paths(*on.cluster);
  std::vector<Injection> injection;
  for (const NodeId host : on.cluster->hosts())
    injection.push_back({.message_s = on.cluster->nodes()[host].injection_s});
  const ClusterGraph graph(paths, on.placement, injection, wire_bytes(on.bytes));
  return lay_one(weighted_shape(on.generator).lay(graph, on.root));
}

}  // namespace trunkline
