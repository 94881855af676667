// SPDX-License-Identifier: Apache-2.0
// Switches that send multicast frames where somebody has joined, and that limit how many they take in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "impair/multicast.hpp"
#include "line.hpp"
#include "network/file/impaired.hpp"
#include "transit.hpp"

namespace trunkline::fabric {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr Nanoseconds a_second = 1'000'000'000;
constexpr std::uint32_t the_group = 0xEF010203;
constexpr std::uint32_t other_group = 0xEF010204;

/// Three switches in a line with two hosts each: h0, h1 on s0; h2, h3 on s1; h4, h5 on s2.
class SnoopingTest : public ::testing::Test {
 protected:
  void build(std::initializer_list<std::pair<const char*, const char*>> settings) {
    Cluster cluster = line_of_switches(3, 2);
    for (const auto& [key, setting] : settings) cluster = impaired(cluster, key, setting);
    network_.emplace(cluster, 0);
    transit_.emplace(*network_, QueueLimits{});
  }

  std::set<HostIndex> arrivals(Nanoseconds until = Transit::never - 1) {
    std::vector<Delivery> due;
    transit_->advance(until, due);
    std::set<HostIndex> hosts;
    for (const Delivery& delivery : due) {
      hosts.insert(delivery.host);
      transit_->delivered(delivery.frame);
    }
    return hosts;
  }

  std::set<HostIndex> send(HostIndex from, Nanoseconds at, Multicast multicast) {
    transit_->enter_multicast(from, frame_++, {100, 100, 1}, at, std::move(multicast));
    return arrivals();
  }
  std::set<HostIndex> data(HostIndex from, Nanoseconds at, std::uint32_t group = the_group) {
    return send(from, at, {.kind = Multicast::Kind::data, .group = group});
  }
  std::set<HostIndex> report(HostIndex from, Nanoseconds at, bool joins = true) {
    return send(from, at, {.kind = Multicast::Kind::report, .memberships = {{the_group, joins}}});
  }
  /// Every query that switches send by then, and whom they reach.
  std::set<HostIndex> queries(Nanoseconds until) {
    std::set<HostIndex> hosts;
    while (transit_->snooping().next_query() <= until) {
      const Nanoseconds at = transit_->snooping().next_query();
      const auto node = transit_->snooping().take_query(at);
      asked_.push_back(*node);
      transit_->originate(*node, frame_++, {84, 84, 1}, at, {.kind = Multicast::Kind::query, .asks = *node});
      hosts.merge(arrivals());
    }
    return hosts;
  }

  std::optional<Network> network_;
  std::optional<Transit> transit_;
  std::vector<NodeId> asked_;
  FrameId frame_ = 0;
};

TEST_F(SnoopingTest, WithoutItEveryHostGetsEveryGroup) {
  build({});
  EXPECT_EQ(data(0, 0).size(), 5U);
}

TEST_F(SnoopingTest, AGroupReachesItsMembersAlone) {
  build({{"igmp", "snooping"}});
  EXPECT_THAT(data(0, 0), IsEmpty()) << "nobody has joined";
  EXPECT_EQ(transit_->snooping().counters(0).unregistered, 1U);
  report(1, a_second);
  report(4, a_second);
  EXPECT_THAT(data(0, 2 * a_second), UnorderedElementsAre(1U, 4U));
  EXPECT_THAT(data(4, 3 * a_second), UnorderedElementsAre(1U));
  EXPECT_THAT(data(0, 4 * a_second, other_group), IsEmpty());
  EXPECT_EQ(transit_->snooping().counters(0).pruned, 2U + 0U + 1U + 2U);
}

TEST_F(SnoopingTest, WhatIsNotAGroupsDataStillFloods) {
  build({{"igmp", "snooping"}});
  EXPECT_EQ(send(0, 0, {}).size(), 5U);
}

TEST_F(SnoopingTest, LeavingTakesEffectForThatHostAlone) {
  build({{"igmp", "snooping"}});
  report(4, 0);
  report(5, 0);
  report(4, a_second, false);
  EXPECT_THAT(data(0, 2 * a_second), UnorderedElementsAre(5U));
}

TEST_F(SnoopingTest, WithoutAQuerierMembershipsAgeOut) {
  build({{"igmp", "snooping"}, {"igmp_ages", "5s"}});
  EXPECT_EQ(transit_->snooping().next_query(), Snooping::never);
  report(4, 0);
  EXPECT_THAT(data(0, 4 * a_second), UnorderedElementsAre(4U));
  EXPECT_THAT(data(0, 6 * a_second), IsEmpty());
  report(4, 7 * a_second);
  EXPECT_THAT(data(0, 11 * a_second), UnorderedElementsAre(4U)) << "a new report lets it live on";
}

TEST_F(SnoopingTest, AQuerierAsksEveryHostTwiceBeforeMembershipsEnd) {
  build({{"igmp", "snooping"}, {"igmp", "s1=querier"}, {"igmp_ages", "260s"}});
  EXPECT_EQ(queries(0).size(), 6U);
  EXPECT_EQ(transit_->snooping().next_query(), 125 * a_second);
  queries(260 * a_second);
  EXPECT_THAT(asked_, testing::ElementsAre(1U, 1U, 1U));
}

TEST_F(SnoopingTest, ReportsGoToTheQuerierAndDataFollowIt) {
  build({{"igmp", "snooping"}, {"igmp", "s1=querier"}});
  queries(0);
  EXPECT_THAT(report(4, a_second), IsEmpty()) << "no host sees another one's report";
  EXPECT_THAT(data(0, 2 * a_second), UnorderedElementsAre(4U));
  EXPECT_THAT(data(0, 3 * a_second, other_group), IsEmpty());
  const auto carried = [&](NodeId from, NodeId to) {
    for (const ChannelId id : network_->leaving(from)) {
      if (network_->channel(id).to == to) return transit_->counters()[id].frames;
    }
    return std::uint64_t{0};
  };
  EXPECT_EQ(carried(0, 1), 2U) << "data of any group go to the querier";
  EXPECT_EQ(carried(1, 2), 1U + 1U) << "the query, and data of the group that was joined";
}

TEST_F(SnoopingTest, OfSeveralQueriersTheFirstAsks) {
  build({{"igmp", "querier"}, {"igmp_ages", "26s"}});
  queries(60 * a_second);
  EXPECT_THAT(asked_, testing::ElementsAre(0U, 0U, 0U, 0U, 0U)) << "each 12.5 s";
}

TEST_F(SnoopingTest, StormControlLimitsEachPortInEachSecond) {
  build({{"storm_control", "s0=10/s"}});
  const auto burst = [&](HostIndex from, Nanoseconds at) {
    std::size_t arrived = 0;
    for (unsigned i = 0; i < 30; ++i) arrived += data(from, at + i * 1'000'000).size() > 0 ? 1 : 0;
    return arrived;
  };
  EXPECT_EQ(burst(0, 0), 10U);
  EXPECT_EQ(burst(0, a_second / 2), 0U) << "the second is not over";
  EXPECT_EQ(burst(0, 2 * a_second), 10U);
  EXPECT_EQ(burst(1, 2 * a_second), 10U) << "another port";
  EXPECT_EQ(burst(2, 10 * a_second), 30U) << "another switch lets its own hosts through";
  EXPECT_EQ(transit_->storm_control().dropped(network_->leaving(network_->node_of(0)).front()), 20U + 30U + 20U);
}

TEST_F(SnoopingTest, StormControlLeavesFramesToOneHostAlone) {
  build({{"storm_control", "1/s"}});
  for (unsigned i = 0; i < 20; ++i) transit_->enter(0, 5, frame_++, {100, 100, 1}, i * 1'000'000);
  std::vector<Delivery> due;
  transit_->advance(Transit::never - 1, due);
  EXPECT_EQ(due.size(), 20U);
}

}  // namespace
}  // namespace trunkline::fabric
