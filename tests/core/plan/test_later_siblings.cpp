// SPDX-License-Identifier: Apache-2.0
// Up a tree: what comes first is taken in first.
#include "plan/later_siblings.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "network/placement.hpp"
#include "network/scaled.hpp"
#include "networks.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

/// When all has come up to a rank, where hosts and latencies alone take time: brute force.
double all_up_s(const Paths& paths, const Tree& tree, Rank rank, const HostCosts& hosts) {
  std::vector<double> arrivals;
  for (const Rank child : tree.children[rank]) {
    const NodeId from = paths.cluster().hosts()[child];
    const NodeId to = paths.cluster().hosts()[rank];
    arrivals.push_back(all_up_s(paths, tree, child, hosts) + hosts.send_s +
                       paths.latency_s(from, to, paths.meeting(from, to)));
  }
  std::ranges::sort(arrivals);
  double at_s = 0.0;
  for (const double arrival_s : arrivals) at_s = std::max(at_s, arrival_s) + hosts.receive_s;
  return at_s;
}

RC_GTEST_PROP(LaterSiblings, MakeAReductionTakeWhatTakingItInInOrderDoes, ()) {
  const Cluster cluster = scaled(Cluster(testing::random_parts(5, 12)), 1e15);
  const Placement placement = block_placement(cluster, 1);
  const Tree tree = testing::random_tree(static_cast<Rank>(placement.size()));
  HostCosts hosts = host_costs_named("mpich");
  hosts.send_byte_s = hosts.receive_byte_s = 0.0;
  const Paths paths(cluster);
  const double predicted_s = tree_seconds(tree_costs(paths, placement, tree, Direction::up, hosts), 1, 1);
  const double up_s = all_up_s(paths, tree, tree.root, hosts);
  // Of a star all come at once, but for their latencies, and count as if they came as they are sent to.
  const bool is_star = tree.children[tree.root].size() + 1 == tree.size();
  const double most_s = is_star ? up_s + 12 * 2e-6 : up_s;
  RC_ASSERT(predicted_s >= up_s * (1.0 - 1e-3));
  RC_ASSERT(predicted_s <= most_s * (1.0 + 1e-3));
}

TEST(LaterSiblings, AreThoseThatAreTakenInAfter) {
  const Cluster star = testing::one_switch(6);
  const Placement placement = block_placement(star, 1);
  Tree tree = root_alone(6, 0);
  for (const Rank rank : {1U, 2U, 3U}) add_child(tree, 0, rank);
  for (const Rank rank : {4U, 5U}) add_child(tree, 2, rank);
  const auto later = later_siblings(shape_of(tree, placement), Paths(star), host_costs_named("mpich")).later;
  EXPECT_EQ(later, (std::vector<Rank>{0, 1, 0, 2, 0, 1}));
}

/// Two ranks on the first host, of which the second leads another host: its sum comes last, and goes over no link.
TEST(LaterSiblings, AreThoseOfOtherHosts) {
  const Cluster star = testing::one_switch(3);
  const Placement placement{0, 0, 1, 2};
  Tree tree = root_alone(4, 0);
  for (const Rank rank : {1U, 2U}) add_child(tree, 0, rank);
  add_child(tree, 1, 3);
  const auto later = later_siblings(shape_of(tree, placement), Paths(star), host_costs_named("mpich")).later;
  EXPECT_EQ(later, (std::vector<Rank>{0, 0, 0, 0}));
}

}  // namespace
}  // namespace trunkline
