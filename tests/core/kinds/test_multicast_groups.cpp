// SPDX-License-Identifier: Apache-2.0
// Multicasts in groups: laid over sites, proven, written and read, loads and times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "algorithms/registry.hpp"
#include "kinds/multicast/costs.hpp"
#include "kinds/multicast/datagram.hpp"
#include "kinds/multicast/grouped_costs.hpp"
#include "kinds/multicast/groups.hpp"
#include "network/long_links.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"
#include "plan_file/plan_file.hpp"
#include "two_sites.hpp"

namespace trunkline {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Sites {
  Cluster cluster{testing::with_long_links(testing::random_parts(7, 24))};
  Placement placement = testing::random_placement(cluster, 30);
  Rank root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  Plan plan = lay(Collective::bcast, "by-sites-multicast", &cluster, placement, root);
  const Multicast& multicast = multicast_of(plan);

  [[nodiscard]] SiteId site_of(Rank rank) const { return sites_of(cluster).of_node[cluster.hosts()[placement[rank]]]; }
};

/// Whoever has the message hands it on, again and again: groups where their first rank has it, messages between these.
std::set<Rank> reached(const Multicast& multicast) {
  std::set<Rank> have{multicast.root()};
  for (std::size_t before = 0; before != have.size();) {
    before = have.size();
    for (const MulticastGroup& group : multicast.groups) {
      const Rank sender = group.ranks.front();
      if (sender != multicast.root() && have.contains(multicast.confirm.parent[sender])) have.insert(sender);
      if (have.contains(sender)) have.insert(group.ranks.begin(), group.ranks.end());
    }
  }
  return have;
}

RC_GTEST_PROP(MulticastGroups, ReachAllAndStayWithinSites, ()) {
  const Sites on;
  check_plan(on.plan);
  RC_ASSERT(on.plan.root() == on.root);
  if (!on.multicast.has_groups()) {
    RC_ASSERT(!spans_sites(on.cluster, on.placement));
    return;
  }
  RC_ASSERT(reached(on.multicast).size() == on.placement.size());
  std::map<SiteId, std::set<HostIndex>> hosts;
  std::map<SiteId, int> entered;
  for (Rank rank = 0; rank < on.placement.size(); ++rank) {
    hosts[on.site_of(rank)].insert(on.placement[rank]);
    const Rank parent = on.multicast.confirm.parent[rank];
    if (parent == no_rank || on.site_of(parent) != on.site_of(rank)) ++entered[on.site_of(rank)];
  }
  for (const auto& [site, times] : entered) RC_ASSERT(times == 1);
  for (const MulticastGroup& group : on.multicast.groups) {
    const SiteId site = on.site_of(group.ranks.front());
    for (const Rank rank : group.ranks) RC_ASSERT(on.site_of(rank) == site);
    RC_ASSERT((group.ranks.size() > 1) == (hosts[site].size() >= 3));
  }
}

RC_GTEST_PROP(MulticastGroups, AreReadAsTheyWereWritten, ()) {
  const Sites on;
  PlanFile file;
  file.algorithm = "by-sites-multicast";
  file.plan = on.plan;
  const PlanFile again = parse_plan(write_plan(file), "x.yaml");
  const Multicast& read = multicast_of(again.plan);
  RC_ASSERT(read.byte_s == on.multicast.byte_s);
  RC_ASSERT(read.confirm.parent == on.multicast.confirm.parent);
  RC_ASSERT(read.confirm.children == on.multicast.confirm.children);
  RC_ASSERT(read.groups.size() == on.multicast.groups.size());
  for (std::size_t i = 0; i < read.groups.size(); ++i) {
    RC_ASSERT(read.groups[i].ranks == on.multicast.groups[i].ranks);
    RC_ASSERT(read.groups[i].byte_s == on.multicast.groups[i].byte_s);
  }
}

/// Against all paths of all groups and messages, walked.
RC_GTEST_PROP(MulticastGroups, LoadWhatTheyCross, ()) {
  const Sites on;
  RC_PRE(on.multicast.has_groups());
  const auto path = [&](Rank from, Rank to) {
    return on.cluster.path(on.cluster.hosts()[on.placement[from]], on.cluster.hosts()[on.placement[to]]);
  };
  std::map<ChannelId, std::uint32_t> senders;
  for (const MulticastGroup& group : on.multicast.groups) {
    const Rank sender = group.ranks.front();
    std::set<ChannelId> crossed;
    for (const Rank rank : group.ranks) {
      for (const ChannelId channel : path(sender, rank)) crossed.insert(channel);
    }
    for (const ChannelId channel : crossed) ++senders[channel];
    if (sender == on.root) continue;
    for (const ChannelId channel : path(on.multicast.confirm.parent[sender], sender)) ++senders[channel];
  }
  std::uint32_t most = 0;
  for (const auto& [channel, many] : senders) most = std::max(most, many);
  RC_ASSERT(contention_of(on.cluster, on.placement, on.plan, 1).most_senders == most);
}

/// Any groups of any tree: the check passes those alone in which the replay reaches all, through senders.
RC_GTEST_PROP(MulticastGroups, AreProvenAsAReplaySays, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(1, 8);
  Multicast multicast{.confirm = root_alone(ranks, 0)};
  for (Rank rank = 1; rank < ranks; ++rank) add_child(multicast.confirm, *rc::gen::inRange<Rank>(0, rank), rank);
  const auto many = *rc::gen::inRange<Rank>(1, ranks + 1);
  std::map<Rank, std::vector<Rank>> groups;
  for (Rank rank = 0; rank < ranks; ++rank) groups[*rc::gen::inRange<Rank>(0, many)].push_back(rank);
  for (auto& [number, own] : groups) {
    std::swap(own.front(), own[*rc::gen::inRange<std::size_t>(0, own.size())]);
    multicast.groups.push_back({.ranks = own});
  }
  const auto is_first = [&](Rank rank) {
    return std::ranges::any_of(multicast.groups, [&](const auto& group) { return group.ranks.front() == rank; });
  };
  const auto number_of = [&](Rank rank) {
    return std::ranges::find_if(
               multicast.groups,
               [&](const auto& group) { return std::ranges::find(group.ranks, rank) != group.ranks.end(); }) -
           multicast.groups.begin();
  };
  bool is_right = true;
  for (Rank rank = 1; rank < ranks; ++rank) {
    const Rank parent = multicast.confirm.parent[rank];
    const bool stays = number_of(parent) == number_of(rank);
    is_right = is_right && (is_first(rank) ? !stays && is_first(parent) : stays);
  }
  is_right = is_right && is_first(0);
  if (is_right) {
    check_multicast(multicast);
    RC_ASSERT(reached(multicast).size() == ranks);
  } else {
    RC_ASSERT_THROWS_AS(check_multicast(multicast), InvalidPlan);
  }
}

TEST(MulticastGroups, AreRefusedByTheCheck) {
  Multicast multicast{.confirm = line_through({0, 1, 2}), .groups = {{.ranks = {0, 1}}, {.ranks = {2}}}};
  const auto says = [&](const char* words) {
    EXPECT_THAT([&] { check_plan(plan_of(multicast)); }, ThrowsMessage<InvalidPlan>(HasSubstr(words)));
  };
  says("rank 2 has the message from rank 1, which is not the one that sends in its group");
  multicast.groups = {{.ranks = {0}}, {.ranks = {1, 2}}};
  check_plan(plan_of(multicast));
  check_plan(plan_of(multicast), Collective::allreduce);
  EXPECT_THAT([&] { check_plan(plan_of(multicast), Collective::allgather); },
              ThrowsMessage<InvalidPlan>(HasSubstr("a multicast of one root does not serve allgather")));
  multicast.confirm.exchange = 1;
  check_plan(plan_of(multicast), Collective::allreduce);
  EXPECT_THAT([&] { check_plan(plan_of(multicast), Collective::bcast); },
              ThrowsMessage<InvalidPlan>(HasSubstr("two roots exchange operands, and bcast has none")));
  multicast.groups = {{.ranks = {0, 1}}, {.ranks = {2}}};
  EXPECT_THAT([&] { check_plan(plan_of(multicast), Collective::allreduce); },
              ThrowsMessage<InvalidPlan>(HasSubstr("the root exchanges with rank 1 of its own group")));
  multicast.groups = {{.ranks = {0}}, {.ranks = {1, 2}}};
  multicast.confirm.exchange = no_rank;
  multicast.groups[1].ranks = {2, 1};
  says("rank 2 sends to its group, and has the message from rank 1 of the same");
  multicast.groups[1].ranks = {1};
  says("rank 2 is in no group");
  multicast.groups[1].ranks = {1, 2, 1};
  says("rank 1 stands in two groups, or twice in one");
  multicast.groups[1].ranks = {1, 3};
  says("there is no such rank");
  multicast.groups = {{.ranks = {0}}, {.ranks = {1, 2}}, {.ranks = {}}};
  says("a group is empty");
  multicast.groups = {{.ranks = {0}}, {.ranks = {1, 2}, .byte_s = -1.0}};
  says("is no rate that a link has");
  multicast.groups[1].byte_s = 0.0;
  multicast.byte_s = 1e-8;
  says("each has a pace of its own");
}

/// Operands up, and the result to all who send: by hand, whoever has what.
std::vector<Rank> results_of(const Multicast& multicast) {
  std::vector<std::set<Rank>> have(multicast.ranks());
  std::vector<Rank> order = parents_first(multicast.confirm);
  const Tree& confirm = multicast.confirm;
  for (Rank rank = 0; rank < have.size(); ++rank) have[rank].insert(rank);
  for (auto rank = order.rbegin(); rank != order.rend(); ++rank) {
    if (*rank != confirm.root && *rank != confirm.exchange) have[confirm.parent[*rank]].merge(std::set(have[*rank]));
  }
  if (confirm.exchange != no_rank) {
    std::set<Rank> both = have[confirm.root];
    both.insert(have[confirm.exchange].begin(), have[confirm.exchange].end());
    have[confirm.root] = have[confirm.exchange] = both;
  }
  std::set<Rank> senders;
  for (const MulticastGroup& group : multicast.groups) senders.insert(group.ranks.front());
  for (const Rank rank : order) {
    if (senders.contains(rank) && rank != confirm.root && rank != confirm.exchange)
      have[rank] = have[confirm.parent[rank]];
  }
  for (const MulticastGroup& group : multicast.groups) {
    for (const Rank rank : group.ranks) have[rank] = have[group.ranks.front()];
  }
  std::vector<Rank> sizes;
  for (const auto& one : have) sizes.push_back(static_cast<Rank>(one.size()));
  return sizes;
}

/// Two roots exchange where sites do, and every rank has every operand in the end; read as it was written.
RC_GTEST_PROP(MulticastGroups, HaveEveryOperandInTheEnd, ()) {
  const Sites on;
  const Plan plan = lay(Collective::allreduce, "by-sites-multicast", &on.cluster, on.placement, on.root);
  check_plan(plan, Collective::allreduce);
  const Multicast& multicast = multicast_of(plan);
  if (!multicast.has_groups()) return;
  const auto ranks = static_cast<Rank>(on.placement.size());
  RC_ASSERT(results_of(multicast) == std::vector<Rank>(ranks, ranks));
  PlanFile file;
  file.collective = Collective::allreduce;
  file.algorithm = "by-sites-multicast";
  file.plan = plan;
  const PlanFile again = parse_plan(write_plan(file), "x.yaml");
  RC_ASSERT(multicast_of(again.plan).confirm.exchange == multicast.confirm.exchange);
  RC_ASSERT(multicast_of(again.plan).confirm.children == multicast.confirm.children);
}

TEST(MulticastGroups, HaveThePaceThatMessagesLeave) {
  const testing::TwoSites on(Collective::bcast);
  const Multicast& multicast = multicast_of(on.plan);
  ASSERT_EQ(multicast.groups.size(), 2U);
  EXPECT_DOUBLE_EQ(multicast.groups[0].byte_s, 8.0 / 50e6);  // of 100 Mbit/s, 50 go to the other site
  EXPECT_DOUBLE_EQ(multicast.groups[1].byte_s, 8.0 / 100e6);
}

/// Of hosts that cost nothing.
TEST(MulticastGroups, TakeTheWayAndWhatTheirSiteTakes) {
  const testing::TwoSites on(Collective::bcast);
  const Multicast& multicast = multicast_of(on.plan);
  const HostCosts free;
  const GroupedCosts costs = grouped_costs(on.paths, on.placement, multicast, free);
  const Placement far{4, 5, 6, 7};
  const MulticastCosts within = multicast_costs(on.paths, far, group_alone(multicast, multicast.groups[1]), free);
  const TreeCosts way = tree_costs(on.paths, {0, 4}, line_through({0, 1}), Direction::down, free);
  const std::uint64_t segment = segment_sizes()[12];
  EXPECT_DOUBLE_EQ(costs.seconds(segment, segment), way.seconds(segment, segment) + within.seconds(segment, segment));
  const std::uint64_t many = 100 * segment;  // the long link is the slowest, and the last segment the last
  EXPECT_NEAR(costs.seconds(many, segment), way.seconds(many, segment) + within.seconds(segment, segment), 1e-3);
  EXPECT_TRUE(costs.can_pay());
  const MulticastCosts near =
      multicast_costs(on.paths, {0, 1, 2, 3}, group_alone(multicast, multicast.groups[0]), free);
  const double agreement_s = costs.opening_s() - std::max(within.opening_s(), near.opening_s());
  EXPECT_GT(agreement_s, 4 * 3 * 20e-3);  // four collectives of 8 ranks, each of three rounds
  EXPECT_LT(agreement_s, 4 * 3 * 21e-3);
  GroupedCosts narrow = costs;
  narrow.have_windows(20e-3, segment);
  GroupedCosts wide = costs;
  wide.have_windows(20e-3, many);
  EXPECT_GT(narrow.seconds(many, segment), 2 * wide.seconds(many, segment));
}

/// A link that carries the own group's datagrams besides messages to another one.
TEST(MulticastGroups, ShareTheLinkOfTheirSender) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: two\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: [a, b]\n"
      "hosts:\n  - {hosts: 'h[0-3]', switch: a}\n  - {hosts: 'h[4-7]', switch: b}\n"
      "links:\n  - {between: [a, b], latency: 20ms}\n",
      "two.yaml");
  const Paths paths{cluster};
  const Placement placement = block_placement(cluster, 1);
  const Plan plan = lay(Collective::bcast, "by-sites-multicast", &cluster, placement, 0);
  const GroupedCosts costs = grouped_costs(paths, placement, multicast_of(plan), HostCosts{});
  const std::uint64_t bytes = 10'000'000;
  ASSERT_TRUE(costs.groups[1].way.has_value());
  EXPECT_GT(costs.groups[1].way->seconds(bytes, segment_sizes()[12]), 2.0 * static_cast<double>(bytes) * 8.0 / 100e6);
}

/// Hosts of one machine: its processors serve all groups, one after another.
TEST(MulticastGroups, ShareTheProcessorsOfOneMachine) {
  const testing::TwoSites on(Collective::bcast);
  HostCosts shared;
  shared.shared_s = 1e-3;
  shared.shared_byte_s = 1e-6;
  const std::uint64_t bytes = 100'000;
  const auto expect_shared = [&](const Multicast& multicast, double seconds) {
    double together_s = 0.0;
    for (const MulticastGroup& group : multicast.groups) {
      const Placement hosts = placement_of(on.placement, group.ranks);
      together_s += multicast_costs(on.paths, hosts, group_alone(multicast, group), shared).together_s(bytes);
    }
    EXPECT_GT(together_s, 0.5);
    EXPECT_GE(seconds, together_s);
  };
  const Multicast& multicast = multicast_of(on.plan);
  expect_shared(multicast, grouped_costs(on.paths, on.placement, multicast, shared).seconds(bytes, bytes));
  const Plan plan = lay(Collective::allreduce, "by-sites-multicast", &on.cluster, on.placement, 0);
  GroupedResultCosts result = grouped_result_costs(on.paths, on.placement, multicast_of(plan), shared);
  result.up.clear();
  result.between.reset();
  expect_shared(multicast_of(plan), result.seconds(bytes, bytes));
}

/// Ranks keep who is above whom, and the pace is the group's.
TEST(MulticastGroups, AloneAreAsTheyWere) {
  Multicast multicast{.confirm = line_through({3, 1, 0, 2}), .groups = {{.ranks = {3}}, {.ranks = {1, 0, 2}}}};
  multicast.groups[1].byte_s = 1e-8;
  const Multicast alone = group_alone(multicast, multicast.groups[1]);
  EXPECT_EQ(alone.confirm.parent, (std::vector<Rank>{no_rank, 0, 1}));
  EXPECT_DOUBLE_EQ(alone.byte_s, 1e-8);
}

/// Each group of several ranks by itself: one with a single other host does not, whatever the others.
TEST(MulticastGroups, PayWhereEachOneDoes) {
  const testing::TwoSites on(Collective::bcast);
  Multicast multicast{.confirm = root_alone(6, 0), .groups = {{.ranks = {0, 1, 2}}, {.ranks = {3, 4, 5}}}};
  for (const auto& [parent, child] : {std::pair{0, 1}, {0, 2}, {0, 3}, {3, 4}, {3, 5}}) {
    add_child(multicast.confirm, static_cast<Rank>(parent), static_cast<Rank>(child));
  }
  EXPECT_TRUE(grouped_costs(on.paths, {0, 1, 2, 4, 5, 6}, multicast, HostCosts{}).can_pay());
  EXPECT_FALSE(grouped_costs(on.paths, {0, 1, 2, 4, 5, 5}, multicast, HostCosts{}).can_pay());
}

/// Up in a site, over to the other one, and down in a site, one after another.
TEST(MulticastGroups, OfAReductionTakeWhatItsPartsTake) {
  const testing::TwoSites on(Collective::bcast);
  const Plan plan = lay(Collective::allreduce, "by-sites-multicast", &on.cluster, on.placement, 0);
  const Multicast& multicast = multicast_of(plan);
  ASSERT_EQ(multicast.groups.size(), 2U);
  EXPECT_NE(multicast.confirm.exchange, no_rank);
  HostCosts hosts;
  hosts.combine_byte_s = 1e-8;  // going up is not going down
  const std::uint64_t bytes = 1000;
  const auto costs = costs_of(on.cluster, on.placement, plan, Collective::allreduce, hosts);
  const Multicast alone = group_alone(multicast, multicast.groups[0]);
  const Placement near = placement_of(on.placement, multicast.groups[0].ranks);
  const TreeCosts up = tree_costs(on.paths, near, alone.confirm, Direction::up, hosts);
  const MulticastCosts down = multicast_costs(on.paths, near, alone, hosts);
  const double way_s = costs->seconds(bytes, bytes) - up.seconds(bytes, bytes) - down.seconds(bytes, bytes);
  EXPECT_GT(way_s, 20e-3);  // the long link once, both ways at the same time
  EXPECT_LT(way_s, 21e-3);
  const GroupedResultCosts parts = grouped_result_costs(on.paths, on.placement, multicast, hosts);
  ASSERT_TRUE(parts.between.has_value());
  EXPECT_NEAR(way_s, parts.between->seconds(bytes, bytes), 1e-9);
  EXPECT_TRUE(costs->can_pay());
}

TEST(MulticastGroups, AreAloneWhereSitesAreSmall) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: two\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: [a, b]\n"
      "hosts:\n  - {hosts: 'h[0-1]', switch: a}\n  - {hosts: 'h[2-3]', switch: b}\n"
      "links:\n  - {between: [a, b], latency: 20ms}\n",
      "two.yaml");
  const Placement placement = block_placement(cluster, 1);
  const Plan plan = lay(Collective::bcast, "by-sites-multicast", &cluster, placement, 1);
  EXPECT_EQ(multicast_of(plan).groups.size(), 4U);
  EXPECT_FALSE(costs_of(cluster, placement, plan)->can_pay());
}

}  // namespace
}  // namespace trunkline
