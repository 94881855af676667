// SPDX-License-Identifier: Apache-2.0
#include "plan/port_queues.hpp"

#include <gtest/gtest.h>

#include "algorithms/trees/linear.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

/// Four hosts of two ranks. Rank 1 is told first, and then both ranks of the root's host hand on.
Tree both_hand_on() {
  Tree tree = root_alone(8, 0);
  add_child(tree, 0, 1);
  add_child(tree, 0, 2);
  add_child(tree, 1, 4);
  add_child(tree, 1, 6);
  for (const Rank rank : {2U, 4U, 6U}) add_child(tree, rank, rank + 1);
  return tree;
}

const Placement in_pairs{0, 0, 1, 1, 2, 2, 3, 3};

TEST(PortQueues, HaveMessagesInTheOrderInWhichTheyLeave) {
  const TreeShape shape = shape_of(both_hand_on(), in_pairs);  // without ranks 3, 5 and 7: local leaves
  ASSERT_EQ(shape.nodes.size(), 5U);
  const auto queues = port_queues(shape, {}, host_costs_named("mpich"));
  ASSERT_TRUE(queues);
  EXPECT_EQ(queues->first, (std::vector<std::uint32_t>{0, 0, 2, 3, 4}));
  // The root sends to rank 2 when it has told rank 1, which takes that in and sends a little later.
  EXPECT_EQ(queues->ahead, (std::vector<Rank>{no_rank, no_rank, 0, 1, 2}));
  EXPECT_TRUE(queues->behind.empty());
}

TEST(PortQueues, HaveWhatComesUpInTheOrderInWhichItComes) {
  const TreeShape shape = shape_of(both_hand_on(), in_pairs);
  const auto queues = port_queues(shape, {0.0, 0.0, 3e-6, 1e-6, 2e-6}, host_costs_named("mpich"));
  ASSERT_TRUE(queues);
  EXPECT_EQ(queues->behind, (std::vector<Rank>{no_rank, no_rank, 0, 2, 1}));
}

TEST(PortQueues, AreNoneWhereOneRankOfAHostSends) {
  Tree tree = root_alone(8, 0);
  for (const Rank rank : {1U, 2U, 4U, 6U}) add_child(tree, 0, rank);
  for (const Rank rank : {2U, 4U, 6U}) add_child(tree, rank, rank + 1);
  EXPECT_FALSE(port_queues(shape_of(tree, in_pairs), {}, host_costs_named("mpich")));
}

}  // namespace
}  // namespace trunkline
