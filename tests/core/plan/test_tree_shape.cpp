// SPDX-License-Identifier: Apache-2.0
// Trees over hosts are costed as what they come to over the ranks, without being laid there.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "algorithms/registry.hpp"
#include "algorithms/trees/flat.hpp"
#include "algorithms/trees/k_ary.hpp"
#include "algorithms/trees/two_tree.hpp"
#include "kinds/trees/trees.hpp"
#include "networks.hpp"
#include "plan/tree_costs.hpp"
#include "plan/tree_shape.hpp"

namespace trunkline {
namespace {

/// Any trees over the hosts, from the root's, in lanes.
HostTrees random_host_trees(const Cluster& cluster, const Placement& placement, Rank root) {
  const RanksOfHosts hosts = ranks_of_hosts(placement, root);
  const auto lanes = *rc::gen::element<std::size_t>(1, 1, 2, 3, 4, 8);
  std::vector<Tree> trees;
  switch (*rc::gen::inRange(0, 4)) {
    case 0: {
      const auto both = two_tree(cluster, hosts.placement, hosts.root);
      trees.assign(both.begin(), both.end());
      break;
    }
    case 1:
      trees.push_back(k_ary_tree(cluster, hosts.placement, hosts.root, *rc::gen::inRange(1U, 5U)));
      break;
    case 2:
      trees.push_back(flat_tree(static_cast<Rank>(hosts.placement.size()), hosts.root));
      break;
    default:
      trees.push_back(testing::random_tree(static_cast<Rank>(hosts.placement.size()), hosts.root));
  }
  return host_trees(std::move(trees), hosts, lanes);
}

struct Laid {
  Cluster cluster;
  Placement placement;
  HostTrees trees;
};

Laid random_laid() {
  Cluster::Parts parts = testing::random_parts(5, 12);
  if (*rc::gen::arbitrary<bool>()) {
    for (Node& node : parts.nodes) {
      if (node.kind == NodeKind::host) node.injection_s = 1e-6 * *rc::gen::inRange(0, 3);
    }
  }
  if (*rc::gen::arbitrary<bool>()) {
    for (Link& link : parts.links) {
      if (*rc::gen::inRange(0, 4) == 0) link.back = OneWay{link.rate_bps / 2, link.latency_s * 3};
    }
  }
  Cluster cluster(std::move(parts));
  Placement placement = testing::random_placement(cluster, 60);
  if (*rc::gen::arbitrary<bool>()) std::ranges::sort(placement);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  HostTrees trees = random_host_trees(cluster, placement, root);
  return {std::move(cluster), std::move(placement), std::move(trees)};
}

bool are_alike(const TreeShape& one, const TreeShape& other) {
  return one.root == other.root && one.exchange == other.exchange &&
         std::ranges::equal(one.nodes, other.nodes, [](const TreeShape::Node& a, const TreeShape::Node& b) {
           return a.rank == b.rank && a.host == b.host && a.further_leaves == b.further_leaves &&
                  std::ranges::equal(a.children, b.children, [](const auto& x, const auto& y) {
                    return x.node == y.node && x.local_leaves == y.local_leaves;
                  });
         });
}

RC_GTEST_PROP(TreeShape, IsThatOfTheTreeOverTheRanks, ()) {
  const Laid laid = random_laid();
  const std::vector<Tree> over = over_ranks(laid.trees);
  for (std::size_t lane = 0; lane < laid.trees.lanes; ++lane) {
    for (std::size_t tree = 0; tree < laid.trees.over_hosts.size(); ++tree) {
      const Tree& whole = over[lane * laid.trees.over_hosts.size() + tree];
      RC_ASSERT(are_alike(shape_of(laid.trees, tree, lane), shape_of(whole, laid.placement)));
    }
  }
}

RC_GTEST_PROP(TreeShape, CostsWhatTheTreesOverTheRanksCost, ()) {
  const Laid laid = random_laid();
  const HostCosts& hosts = known_host_costs()[*rc::gen::inRange<std::size_t>(0, known_host_costs().size())];
  const Paths paths(laid.cluster);
  for (const Direction direction : {Direction::down, Direction::up, Direction::up_and_down}) {
    const TreeCosts fast = tree_costs(paths, laid.placement, laid.trees, direction, hosts);
    const TreeCosts slow = tree_costs(paths, laid.placement, over_ranks(laid.trees), direction, hosts);
    RC_ASSERT(fast.network_hops == slow.network_hops);
    RC_ASSERT(fast.transfers == slow.transfers);
    RC_ASSERT(fast.local_transfers == slow.local_transfers);
    for (std::uint64_t bytes = 8; bytes <= std::uint64_t{1} << 24U; bytes *= 8) {
      for (const std::uint64_t segment : segment_sizes()) {
        RC_ASSERT(fast.seconds(bytes, segment) == slow.seconds(bytes, segment));
      }
    }
  }
}

RC_GTEST_PROP(TreeShape, PlansOverHostsAreThoseOverRanks, ()) {
  const Laid laid = random_laid();
  const Plan fast = plan_of(laid.trees);
  const Plan slow = plan_of(over_ranks(laid.trees));
  RC_ASSERT(fast.ranks() == slow.ranks());
  RC_ASSERT(fast.root() == slow.root());
  RC_ASSERT(fast.steps().streams() == slow.steps().streams());
  RC_ASSERT(fast.steps().keeps_rank_order() == slow.steps().keeps_rank_order());
  fast.steps().check(Collective::bcast);
  slow.steps().check(Collective::bcast);
  std::string written;
  std::string other;
  fast.steps().write(written);
  slow.steps().write(other);
  RC_ASSERT(written == other);
}

/// Of a star ranks of a host are taken together: the last of them counts. So do all ranks one by one.
RC_GTEST_PROP(TreeShape, TheLastRankCounts, ()) {
  const Cluster cluster(testing::random_parts(5, 6));
  const Placement placement = testing::random_placement(cluster, 14);
  const auto ranks = static_cast<Rank>(placement.size());
  const auto root = *rc::gen::inRange<Rank>(0, ranks);
  const Tree tree = *rc::gen::arbitrary<bool>()   ? flat_tree(ranks, root)
                    : *rc::gen::arbitrary<bool>() ? testing::random_tree(ranks, root)
                                                  : over_hosts(placement, root, [](const Placement& hosts, Rank first) {
                                                      return flat_tree(static_cast<Rank>(hosts.size()), first);
                                                    });
  const HostCosts& hosts = known_host_costs()[*rc::gen::inRange<std::size_t>(0, known_host_costs().size())];
  const Paths paths(cluster);
  const TreeCosts all = tree_costs(paths, placement, tree, Direction::down, hosts);
  std::vector<TreeCosts> to_each;
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (rank != root) to_each.push_back(tree_costs_to(paths, placement, tree, rank, hosts));
  }
  if (to_each.empty()) return;
  for (std::uint64_t bytes = 8; bytes <= std::uint64_t{1} << 20U; bytes *= 64) {
    for (const std::uint64_t segment : segment_sizes()) {
      double latest_s = 0.0;
      for (const TreeCosts& one : to_each) latest_s = std::max(latest_s, one.seconds(bytes, segment));
      // Both add the same terms, but not in the same order.
      RC_ASSERT(std::abs(latest_s - all.seconds(bytes, segment)) <= 1e-12 * latest_s);
    }
  }
}

}  // namespace
}  // namespace trunkline
