// SPDX-License-Identifier: Apache-2.0
// Plans by multicast: their proof, files and loads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "algorithms/registry.hpp"
#include "kinds/multicast/multicast.hpp"
#include "kinds/trees/trees.hpp"
#include "network/capacity.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"
#include "plan_file/plan_file.hpp"

namespace trunkline {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Plan laid_multicast(const Cluster& cluster, const Placement& placement, Rank root) {
  return lay(Collective::bcast, "multicast", &cluster, placement, root);
}

RC_GTEST_PROP(Multicasts, AreProvenAndReadAsTheyWereWritten, ()) {
  const Cluster cluster(testing::random_parts(6, 20, 2));
  const Placement placement = testing::random_placement(cluster, 30);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  PlanFile file;
  file.algorithm = "multicast";
  file.plan = laid_multicast(cluster, placement, root);
  check_plan(file.plan);
  RC_ASSERT(file.plan.root() == root);
  const Multicast& multicast = multicast_of(file.plan);
  RC_ASSERT(max_degree(multicast.confirm) <= 4U);
  RC_ASSERT(contention_of(cluster, placement, Plan(plan_of(Trees{multicast.confirm}))).contention_free);
  const PlanFile again = parse_plan(write_plan(file), "x.yaml");
  RC_ASSERT(multicast_of(again.plan).byte_s == multicast.byte_s);
  RC_ASSERT(multicast_of(again.plan).confirm.root == multicast.confirm.root);
  RC_ASSERT(multicast_of(again.plan).confirm.parent == multicast.confirm.parent);
  RC_ASSERT(multicast_of(again.plan).confirm.children == multicast.confirm.children);
}

/// Against all paths from the root, walked.
RC_GTEST_PROP(Multicasts, CrossEachChannelOnce, ()) {
  const Cluster cluster(testing::random_parts(6, 20));
  const Placement placement = testing::random_placement(cluster, 30);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const Plan plan = laid_multicast(cluster, placement, root);
  std::set<ChannelId> crossed;
  double slowest = 0.0;
  for (const HostIndex host : placement) {
    for (const ChannelId channel : cluster.path(cluster.hosts()[placement[root]], cluster.hosts()[host])) {
      crossed.insert(channel);
      slowest = std::max(slowest, 8.0 / cluster.link_of(channel).rate_bps);
    }
  }
  RC_ASSERT(multicast_of(plan).byte_s == slowest);
  const Contention found = contention_of(cluster, placement, plan, cluster.channel_count());
  RC_ASSERT(found.contention_free);
  RC_ASSERT(found.most_senders == (crossed.empty() ? 0U : 1U));
  std::set<ChannelId> busiest;
  for (const ChannelLoad& load : found.busiest) busiest.insert(load.channel);
  RC_ASSERT(std::ranges::includes(crossed, busiest));
  const auto is_narrow = [&](ChannelId channel) {
    return std::ranges::any_of(found.busiest, [&](const ChannelLoad& load) { return load.channel == channel; }) ||
           capacities_of(cluster, placement)[channel / 2] > 1;
  };
  RC_ASSERT(std::ranges::all_of(crossed, is_narrow));
}

TEST(Multicasts, AreRefusedByTheCheck) {
  Multicast multicast{.confirm = root_alone(3, 0), .byte_s = 8.0 / 100e6};
  const auto check = [&] { check_plan(plan_of(multicast)); };
  EXPECT_THAT(check, ThrowsMessage<InvalidPlan>(HasSubstr("the confirm tree: rank 1 is never reached")));
  add_child(multicast.confirm, 0, 1);
  add_child(multicast.confirm, 1, 2);
  check();
  EXPECT_THAT([&] { check_plan(plan_of(multicast), Collective::reduce); },
              ThrowsMessage<InvalidPlan>(HasSubstr("a multicast does not serve reduce")));
  multicast.confirm.children[2].push_back(1);
  EXPECT_THAT(check, ThrowsMessage<InvalidPlan>(HasSubstr("rank 1 is reached a second time, by rank 2")));
  multicast.confirm.children[2].clear();
  multicast.byte_s = -1.0;
  EXPECT_THAT(check, ThrowsMessage<InvalidPlan>(HasSubstr("is no rate that a link has")));
  multicast.byte_s = 0.0;
  check();
}

TEST(Multicasts, ServeBroadcastsAlone) {
  EXPECT_TRUE(find_algorithm(Collective::bcast, "multicast"));
  EXPECT_FALSE(find_algorithm(Collective::reduce, "multicast"));
  EXPECT_FALSE(find_algorithm(Collective::allgather, "multicast"));
  EXPECT_THROW(static_cast<void>(multicast_of(lay(Collective::bcast, "flat", nullptr, Placement(2, 0), 0))),
               std::invalid_argument);
}

TEST(Multicasts, OfOneHostHaveNoPace) {
  const Cluster cluster = testing::one_switch(2);
  PlanFile file;
  file.algorithm = "multicast";
  file.plan = laid_multicast(cluster, Placement(3, 1), 0);
  EXPECT_EQ(multicast_of(file.plan).byte_s, 0.0);
  EXPECT_THAT(write_plan(file), ::testing::Not(HasSubstr("pace")));
  EXPECT_EQ(multicast_of(parse_plan(write_plan(file), "x.yaml").plan).byte_s, 0.0);
}

TEST(Multicasts, HaveAFormInPlanFiles) {
  const Cluster cluster = testing::one_switch(4);
  PlanFile file;
  file.algorithm = "multicast";
  file.plan = laid_multicast(cluster, block_placement(cluster, 1), 2);
  EXPECT_THAT(write_plan(file), HasSubstr("root: 2\n"
                                          "# The root sends each datagram once, to all ranks.\n"
                                          "multicast:\n"
                                          "  # Of the slowest link on any way from the root.\n"
                                          "  pace: 100Mbit\n"
                                          "  # For each rank, those that report to it.\n"
                                          "  confirm:\n"
                                          "    2: ["));
}

}  // namespace
}  // namespace trunkline
