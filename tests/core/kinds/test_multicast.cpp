// SPDX-License-Identifier: Apache-2.0
// Plans by multicast: their proof, files and loads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
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
  // A host is one hop, and in other hosts nobody answers for more than four.
  std::map<HostIndex, std::size_t> entries;
  for (Rank rank = 0; rank < placement.size(); ++rank) {
    std::size_t others = 0;
    for (const Rank child : multicast.confirm.children[rank]) {
      if (placement[child] == placement[rank]) continue;
      ++others;
      ++entries[placement[child]];
    }
    RC_ASSERT(others <= 4U);
  }
  RC_ASSERT(!entries.contains(placement[root]));
  RC_ASSERT(std::ranges::all_of(entries, [](const auto& entry) { return entry.second == 1; }));
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

TEST(Multicasts, ServeWhateverEndsWithAll) {
  for (const CollectiveFacts& facts : collectives()) {
    const bool is_served = facts.after == Holding::all;
    EXPECT_EQ(find_algorithm(facts.collective, "multicast").has_value(), is_served) << facts.name;
  }
  EXPECT_THROW(static_cast<void>(multicast_of(lay(Collective::bcast, "flat", nullptr, Placement(2, 0), 0))),
               std::invalid_argument);
}

TEST(Multicasts, OfOneCollectiveAreNotForAnother) {
  const Cluster cluster = testing::one_switch(4);
  const Placement placement = block_placement(cluster, 1);
  const Plan confirmed = laid_multicast(cluster, placement, 0);
  const Plan reduced = lay(Collective::allreduce, "multicast", &cluster, placement, 0);
  const Plan by_turns = lay(Collective::allgather, "multicast", &cluster, placement, 0);
  check_plan(confirmed, Collective::barrier);
  check_plan(confirmed, Collective::allreduce);
  check_plan(by_turns, Collective::allgatherv);
  EXPECT_EQ(multicast_of(reduced).reduce.size(), 2U);
  EXPECT_EQ(reduced.steps().streams(), 2U);
  EXPECT_FALSE(reduced.steps().has_one_order(Collective::allreduce));
  EXPECT_THAT([&] { check_plan(confirmed, Collective::allgather); },
              ThrowsMessage<InvalidPlan>(
                  HasSubstr("a multicast of one root does not serve allgather, in which all ranks send")));
  EXPECT_THAT([&] { check_plan(by_turns); },
              ThrowsMessage<InvalidPlan>(HasSubstr("a multicast by turns does not serve bcast")));
  EXPECT_THAT([&] { check_plan(reduced); },
              ThrowsMessage<InvalidPlan>(HasSubstr("trees to reduce along are of no use to bcast")));
}

TEST(Multicasts, ReduceAlongTreesToTheirRoot) {
  const auto check = [](const Multicast& multicast) { check_plan(plan_of(multicast), Collective::allreduce); };
  Multicast multicast{.confirm = line_through({0, 1, 2}), .reduce = {line_through({0, 2, 1})}};
  check(multicast);
  multicast.reduce.push_back(line_through({2, 1, 0}));
  EXPECT_THAT([&] { check(multicast); }, ThrowsMessage<InvalidPlan>(HasSubstr("ends at another rank")));
  multicast.reduce.back() = root_alone(3, 0);
  EXPECT_THAT([&] { check(multicast); },
              ThrowsMessage<InvalidPlan>(HasSubstr("a tree to reduce along: rank 1 is never reached")));
  multicast.reduce.assign(most_streams + 1, line_through({0, 2, 1}));
  EXPECT_THAT([&] { check(multicast); }, ThrowsMessage<InvalidPlan>(HasSubstr("are too many")));
}

TEST(Multicasts, ByTurnsAreRefusedByTheCheck) {
  const auto check = [](std::vector<Rank> order, Rank at_once) {
    check_plan(plan_of(Multicast{.order = std::move(order), .at_once = at_once}), Collective::allgather);
  };
  check({2, 0, 1}, 3);
  EXPECT_THAT([&] { check({0, 1, 1}, 2); }, ThrowsMessage<InvalidPlan>(HasSubstr("rank 1 stands twice in the order")));
  EXPECT_THAT([&] { check({0, 3, 1}, 2); }, ThrowsMessage<InvalidPlan>(HasSubstr("there is no such rank")));
  EXPECT_THAT([&] { check({0, 1}, 0); }, ThrowsMessage<InvalidPlan>(HasSubstr("0 of 2 ranks send at once")));
  EXPECT_THAT([&] { check({0, 1}, 3); }, ThrowsMessage<InvalidPlan>(HasSubstr("3 of 2 ranks send at once")));
}

RC_GTEST_PROP(Multicasts, OfAllCollectivesAreReadAsTheyWereWritten, ()) {
  const Cluster cluster(testing::random_parts(6, 20, 2));
  const Placement placement = testing::random_placement(cluster, 30);
  PlanFile file;
  file.algorithm = "multicast";
  file.collective =
      *rc::gen::element(Collective::allreduce, Collective::barrier, Collective::allgather, Collective::allgatherv);
  file.plan = lay(file.collective, "multicast", &cluster, placement, 0);
  check_plan(file.plan, file.collective);
  const Multicast& multicast = multicast_of(file.plan);
  const PlanFile again_file = parse_plan(write_plan(file), "x.yaml");
  const Multicast& again = multicast_of(again_file.plan);
  RC_ASSERT(again.byte_s == multicast.byte_s);
  RC_ASSERT(again.confirm.parent == multicast.confirm.parent);
  RC_ASSERT(again.reduce.size() == multicast.reduce.size());
  for (std::size_t i = 0; i < again.reduce.size(); ++i) {
    RC_ASSERT(again.reduce[i].children == multicast.reduce[i].children);
  }
  RC_ASSERT(again.order == multicast.order);
  RC_ASSERT(again.at_once == multicast.at_once);
}

/// Against all paths, walked.
RC_GTEST_PROP(Multicasts, ByTurnsLoadChannelsWithThoseBehindThem, ()) {
  const Cluster cluster(testing::random_parts(6, 20));
  const Placement placement = testing::random_placement(cluster, 30);
  const auto ranks = static_cast<Rank>(placement.size());
  Multicast multicast{.at_once = *rc::gen::inRange<Rank>(1, ranks + 1)};
  for (Rank rank = 0; rank < ranks; ++rank) multicast.order.push_back(rank);
  std::vector<std::set<Rank>> senders(cluster.channel_count());
  for (Rank from = 0; from < ranks; ++from) {
    for (Rank to = 0; to < ranks; ++to) {
      for (const ChannelId channel : cluster.path(cluster.hosts()[placement[from]], cluster.hosts()[placement[to]])) {
        senders[channel].insert(from);
      }
    }
  }
  std::size_t most = 0;
  for (const auto& one : senders) most = std::max(most, std::min<std::size_t>(one.size(), multicast.at_once));
  RC_ASSERT(contention_of(cluster, placement, plan_of(multicast)).most_senders == most);
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

TEST(Multicasts, OfOtherCollectivesHaveAFormInPlanFiles) {
  const Cluster cluster = testing::one_switch(4);
  PlanFile file;
  file.algorithm = "multicast";
  file.collective = Collective::allgather;
  file.plan = lay(file.collective, "multicast", &cluster, block_placement(cluster, 1), 2);
  EXPECT_THAT(write_plan(file), HasSubstr("root: 2\n"
                                          "# Each rank sends its block once, to all ranks.\n"
                                          "multicast:\n"
                                          "  # Of the slowest link on any way from the root.\n"
                                          "  pace: 100Mbit\n"
                                          "  # By turn, the root first. A rank sends once it has what those sent that "
                                          "are so many before it.\n"
                                          "  order: [2, 0, 1, 3]\n"
                                          "  at_once: 4\n"));
  file.collective = Collective::allreduce;
  file.plan = plan_of(Multicast{.confirm = line_through({0, 1, 2}), .reduce = {line_through({0, 2, 1})}});
  EXPECT_THAT(write_plan(file), HasSubstr("  reduce:\n"
                                          "    - 0: [2]\n"
                                          "      2: [1]\n"));
}

}  // namespace
}  // namespace trunkline
