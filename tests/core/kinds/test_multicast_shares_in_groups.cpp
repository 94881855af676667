// SPDX-License-Identifier: Apache-2.0
// Allgathers by multicast in groups: laid over sites, proven, written and read, loads and times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "algorithms/registry.hpp"
#include "kinds/multicast/datagram.hpp"
#include "kinds/multicast/grouped_costs.hpp"
#include "kinds/multicast/groups.hpp"
#include "network/file/cluster_file.hpp"
#include "network/long_links.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"
#include "plan_file/plan_file.hpp"
#include "two_sites.hpp"

namespace trunkline {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct SharesOverSites {
  Cluster cluster{testing::with_long_links(testing::random_parts(7, 24))};
  Placement placement = testing::random_placement(cluster, 30);
  Rank root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  Plan plan = lay(Collective::allgather, "by-sites-multicast", &cluster, placement, root);
  const Multicast& multicast = multicast_of(plan);
};

/// Of each rank, whose blocks it has in the end: within its group, of the first of all groups, and from its own first.
std::vector<std::set<Rank>> blocks_of(const Multicast& multicast) {
  std::vector<std::set<Rank>> have(multicast.ranks());
  for (Rank rank = 0; rank < have.size(); ++rank) have[rank].insert(rank);
  for (const MulticastGroup& group : multicast.groups) {
    for (const Rank rank : group.ranks) have[rank].insert(group.ranks.begin(), group.ranks.end());
  }
  std::set<Rank> of_firsts;
  for (const MulticastGroup& group : multicast.groups) {
    const std::set<Rank>& own = have[group.ranks.front()];
    of_firsts.insert(own.begin(), own.end());
  }
  for (const MulticastGroup& group : multicast.groups) {
    for (const Rank rank : group.ranks) have[rank].insert(of_firsts.begin(), of_firsts.end());
  }
  return have;
}

RC_GTEST_PROP(SharesInGroups, ReachAllAndStayWithinSites, ()) {
  const SharesOverSites on;
  check_plan(on.plan, Collective::allgather);
  RC_ASSERT(on.plan.root() == on.root);
  if (!on.multicast.has_groups()) {
    RC_ASSERT(!spans_sites(on.cluster, on.placement));
    return;
  }
  for (const std::set<Rank>& have : blocks_of(on.multicast)) RC_ASSERT(have.size() == on.placement.size());
  const auto sites = sites_of(on.cluster);
  const auto site_of = [&](Rank rank) { return sites.of_node[on.cluster.hosts()[on.placement[rank]]]; };
  std::map<SiteId, std::set<HostIndex>> hosts;
  for (Rank rank = 0; rank < on.placement.size(); ++rank) hosts[site_of(rank)].insert(on.placement[rank]);
  for (const MulticastGroup& group : on.multicast.groups) {
    for (const Rank rank : group.ranks) RC_ASSERT(site_of(rank) == site_of(group.ranks.front()));
    RC_ASSERT((group.ranks.size() > 1) == (hosts[site_of(group.ranks.front())].size() >= 3));
  }
}

RC_GTEST_PROP(SharesInGroups, AreReadAsTheyWereWritten, ()) {
  const SharesOverSites on;
  PlanFile file;
  file.collective = Collective::allgather;
  file.algorithm = "by-sites-multicast";
  file.plan = on.plan;
  const PlanFile again = parse_plan(write_plan(file), "x.yaml");
  const Multicast& read = multicast_of(again.plan);
  RC_ASSERT(read.order == on.multicast.order);
  RC_ASSERT(read.at_once == on.multicast.at_once);
  RC_ASSERT(read.byte_s == on.multicast.byte_s);
  RC_ASSERT(read.groups.size() == on.multicast.groups.size());
  for (std::size_t i = 0; i < read.groups.size(); ++i) {
    RC_ASSERT(read.groups[i].ranks == on.multicast.groups[i].ranks);
    RC_ASSERT(read.groups[i].byte_s == on.multicast.groups[i].byte_s);
  }
}

/// Against all paths of all datagrams and messages, walked.
RC_GTEST_PROP(SharesInGroups, LoadWhatTheyCross, ()) {
  const SharesOverSites on;
  RC_PRE(on.multicast.has_groups());
  const auto path = [&](Rank from, Rank to) {
    return on.cluster.path(on.cluster.hosts()[on.placement[from]], on.cluster.hosts()[on.placement[to]]);
  };
  std::map<ChannelId, Rank> loads;
  for (const MulticastGroup& group : on.multicast.groups) {
    std::map<ChannelId, std::set<Rank>> senders;
    for (const Rank from : group.ranks) {
      for (const Rank to : group.ranks) {
        for (const ChannelId channel : path(from, to)) senders[channel].insert(from);
      }
    }
    for (const auto& [channel, ranks] : senders) {
      loads[channel] += std::min(static_cast<Rank>(ranks.size()), on.multicast.at_once);
    }
    for (const MulticastGroup& other : on.multicast.groups) {
      for (const ChannelId channel : path(group.ranks.front(), other.ranks.front())) ++loads[channel];
    }
  }
  Rank most = 0;
  for (const auto& [channel, load] : loads) most = std::max(most, load);
  RC_ASSERT(contention_of(on.cluster, on.placement, on.plan, 1).most_senders == most);
}

/// Any order and any groups: the check passes those alone in which all ranks stand once, in the same order.
RC_GTEST_PROP(SharesInGroups, AreProvenAsTheirOrderSays, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(1, 6);
  const auto any_rank = rc::gen::inRange<Rank>(0, ranks);
  Multicast multicast{.order = *rc::gen::container<std::vector<Rank>>(ranks, any_rank), .at_once = 1};
  std::vector<Rank> one_after_another;
  const auto many = *rc::gen::inRange<Rank>(1, ranks + 1);
  for (Rank number = 0; number < many; ++number) {
    MulticastGroup group;
    while (group.ranks.empty() || *rc::gen::arbitrary<bool>()) {
      const std::size_t place = one_after_another.size();
      const bool is_next = place<ranks&& * rc::gen::inRange(0, 8)> 0;
      group.ranks.push_back(is_next ? multicast.order[place] : *any_rank);
      one_after_another.push_back(group.ranks.back());
    }
    multicast.groups.push_back(group);
  }
  const std::set<Rank> all(multicast.order.begin(), multicast.order.end());
  if (all.size() == ranks && one_after_another == multicast.order) {
    check_multicast(multicast);
    for (const std::set<Rank>& have : blocks_of(multicast)) RC_ASSERT(have.size() == ranks);
  } else {
    RC_ASSERT_THROWS_AS(check_multicast(multicast), InvalidPlan);
  }
}

TEST(SharesInGroups, AreRefusedByTheCheck) {
  Multicast multicast{.order = {1, 0, 2}, .at_once = 2, .groups = {{.ranks = {1, 0}}, {.ranks = {2}}}};
  const auto says = [&](const char* words) {
    EXPECT_THAT([&] { check_plan(plan_of(multicast), Collective::allgather); },
                ThrowsMessage<InvalidPlan>(HasSubstr(words)));
  };
  check_plan(plan_of(multicast), Collective::allgather);
  multicast.groups = {{.ranks = {0, 1}}, {.ranks = {2}}};
  says("the order has rank 1 where the groups, one after another, have another rank");
  multicast.groups = {{.ranks = {1, 0}}, {.ranks = {0, 2}}};
  says("rank 0 stands in two groups, or twice in one");
  multicast.groups = {{.ranks = {1, 0}}};
  says("rank 2 is in no group");
  multicast.groups = {{.ranks = {1, 0}, .byte_s = -1.0}, {.ranks = {2}}};
  says("is no rate that a link has");
  multicast.groups = {{.ranks = {1, 0}}, {.ranks = {2}}};
  multicast.byte_s = 1e-8;
  says("each has a pace of its own");
}

/// Turns in a site, the long link, and the other site's blocks in this one, one after another. Of hosts that cost
/// nothing.
TEST(SharesInGroups, TakeWhatTheirPartsTake) {
  const testing::TwoSites on(Collective::allgather);
  const Multicast& multicast = multicast_of(on.plan);
  ASSERT_EQ(multicast.groups.size(), 2U);
  const HostCosts free;
  const GroupedTurnCosts costs = grouped_turn_costs(on.paths, on.placement, multicast, free);
  EXPECT_TRUE(costs.can_pay());
  constexpr std::uint64_t block = 1000;
  const double seconds = costs.seconds(8 * block, 4 * block);
  Multicast turns{.byte_s = multicast.groups[0].byte_s, .order = {0, 1, 2, 3}, .at_once = 4};
  const double turns_s = turn_costs(on.paths, {0, 1, 2, 3}, turns, free).seconds(4 * block, 4 * block);
  const double link_s = static_cast<double>(wire_bytes(4 * block)) * 8.0 / 50e6;
  const double behind_s = static_cast<double>(datagram_wire_bytes(4 * block)) * 8.0 / 100e6;
  EXPECT_GT(seconds, turns_s + 20e-3 + link_s + behind_s);
  EXPECT_LT(seconds, turns_s + 20e-3 + link_s + behind_s + 1e-3);
  EXPECT_GT(costs.opening_s(), 4 * 3 * 20e-3);  // four collectives of 8 ranks, each of three rounds
}

/// A segment costs its hosts as much as a message: whole blocks of a site are cheaper where hosts count.
TEST(SharesInGroups, AreCutWhereThatPays) {
  const testing::TwoSites on(Collective::allgather);
  HostCosts hosts;
  hosts.send_s = hosts.receive_s = 1e-3;
  const GroupedTurnCosts costs = grouped_turn_costs(on.paths, on.placement, multicast_of(on.plan), hosts);
  EXPECT_GE(costs.best_segment(8 * 1000), 4 * 1000U);
  EXPECT_GT(costs.seconds(8 * 1000, 1000), costs.seconds(8 * 1000, 4096) + 2e-3);
}

/// Hosts of one machine: its processors serve all groups, one after another.
TEST(SharesInGroups, ShareTheProcessorsOfOneMachine) {
  const testing::TwoSites on(Collective::allgather);
  HostCosts shared;
  shared.shared_s = 1e-3;
  const auto seconds = [&](const HostCosts& hosts) {
    return grouped_turn_costs(on.paths, on.placement, multicast_of(on.plan), hosts).seconds(8 * 1000, 8 * 1000);
  };
  EXPECT_GT(seconds(shared), seconds(HostCosts{}) + 2.0 * 3.0 * 3.5e-3);  // all wake in both sites
}

TEST(SharesInGroups, AreAloneWhereSitesAreSmall) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: two\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: [a, b]\n"
      "hosts:\n  - {hosts: 'h[0-1]', switch: a}\n  - {hosts: 'h[2-3]', switch: b}\n"
      "links:\n  - {between: [a, b], latency: 20ms}\n",
      "two.yaml");
  const Placement placement = block_placement(cluster, 1);
  const Plan plan = lay(Collective::allgather, "by-sites-multicast", &cluster, placement, 1);
  EXPECT_EQ(multicast_of(plan).groups.size(), 4U);
  EXPECT_FALSE(costs_of(cluster, placement, plan, Collective::allgather)->can_pay());
}

}  // namespace
}  // namespace trunkline
