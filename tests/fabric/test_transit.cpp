// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "line.hpp"
#include "network/link_taken.hpp"
#include "transit.hpp"

namespace trunkline::fabric {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr Nanoseconds us = 1000;
constexpr Burden frame_of(std::uint32_t bytes) { return {bytes, bytes, 1}; }

/// Host and time in microseconds of everything that arrives.
using Arrivals = std::vector<std::pair<HostIndex, Nanoseconds>>;

class TransitTest : public testing::Test {
 protected:
  Arrivals run(Transit& transit, Nanoseconds until = Transit::never - 1) {
    std::vector<Delivery> due;
    transit.advance(until, due);
    Arrivals arrivals;
    for (const Delivery& delivery : due) {
      arrivals.emplace_back(delivery.host, delivery.due / us);
      transit.delivered(delivery.frame);
    }
    return arrivals;
  }
};

TEST_F(TransitTest, AFrameIsStoredAtEachSwitchAndDelayedByEachLink) {
  const Cluster cluster = line_of_switches(3, 1);
  const Network network(cluster, 0);
  Transit transit(network, {});
  transit.enter(0, 2, 7, frame_of(100), 5 * us);
  // Four channels of 100 us and 10 us each.
  EXPECT_THAT(run(transit), ElementsAre(std::pair{2U, 5 + 4 * 110}));
  EXPECT_THAT(transit.finished(), ElementsAre(7U));
}

TEST_F(TransitTest, OnlyTheFirstFrameOfASuperFrameIsStored) {
  const Cluster cluster = line_of_switches(1, 2);
  const Network network(cluster, 0);
  Transit transit(network, {});
  transit.enter(0, 1, 0, {300, 100, 3}, 0);
  EXPECT_THAT(run(transit), ElementsAre(std::pair{1U, 300 + 10 + 100 + 10}));
}

TEST_F(TransitTest, ASuperFrameLeavesAFasterLinkNoSoonerThanItsLastFrameCameIn) {
  Cluster::Parts parts;
  parts.name = "faster";
  parts.nodes = {{.name = "s0", .kind = NodeKind::network_switch}, {.name = "h0"}, {.name = "h1"}};
  parts.links = {{.a = 0, .b = 1, .rate_bps = byte_per_us, .latency_s = 10e-6},
                 {.a = 0, .b = 2, .rate_bps = 10 * byte_per_us, .latency_s = 10e-6}};
  const Cluster cluster(std::move(parts));
  const Network network(cluster, 0);
  Transit transit(network, {});
  transit.enter(0, 1, 0, {300, 100, 3}, 0);
  // The last frame is at s0 after 310; down to h1 it takes 10 and 10.
  EXPECT_THAT(run(transit), ElementsAre(std::pair{1U, 330}));
}

TEST_F(TransitTest, OfLinksSideBySideAFrameTakesTheOneThatItsHostsHashTo) {
  Cluster::Parts parts;
  parts.name = "wide";
  parts.nodes = {{.name = "s0", .kind = NodeKind::network_switch}, {.name = "s1", .kind = NodeKind::network_switch}};
  parts.links = {{.a = 0, .b = 1, .rate_bps = byte_per_us, .latency_s = 10e-6, .width = 2}};
  constexpr HostIndex hosts = 8;
  for (HostIndex host = 0; host < hosts; ++host) {
    parts.nodes.push_back({.name = "h" + std::to_string(host)});
    parts.links.push_back({.a = 2 + host, .b = host % 2, .rate_bps = byte_per_us, .latency_s = 10e-6});
  }
  const Cluster cluster(std::move(parts));
  const Network network(cluster, 0);
  unsigned shared = 0;
  unsigned apart = 0;
  for (HostIndex to = 3; to < hosts; to += 2) {
    Transit transit(network, {});
    transit.enter(0, 1, 0, frame_of(100), 0);
    transit.enter(2, to, 1, frame_of(100), 0);
    const bool collide = link_taken(0, 1, 2) == link_taken(2, to, 2);
    ++(collide ? shared : apart);
    EXPECT_THAT(run(transit), ElementsAre(std::pair{1U, 330}, std::pair{to, collide ? 430 : 330}));
  }
  EXPECT_GT(shared, 0U);
  EXPECT_GT(apart, 0U);
}

TEST_F(TransitTest, FramesWaitForTheChannelInTheOrderInWhichTheyReachIt) {
  const Cluster cluster = line_of_switches(1, 3);
  const Network network(cluster, 0);
  Transit transit(network, {});
  transit.enter(1, 2, 1, frame_of(100), 30 * us);
  transit.enter(0, 2, 0, frame_of(100), 0);
  EXPECT_THAT(run(transit), ElementsAre(std::pair{2U, 220}, std::pair{2U, 320}));
}

TEST_F(TransitTest, AFrameStillWaitingElsewhereHoldsNobodyUp) {
  // h0's second frame will reach the trunk only at 210 us. h1's small one, sent later, is there first and goes first.
  const Cluster cluster = line_of_switches(2, 2);
  const Network network(cluster, 0);
  Transit transit(network, {});
  transit.enter(0, 2, 0, frame_of(100), 0);
  transit.enter(0, 2, 1, frame_of(100), 0);
  transit.enter(1, 3, 2, frame_of(10), 50 * us);
  // To s1: its own 10, the first frame's 110..210 on the trunk behind which it waits, and not the second's 210..310.
  const Arrivals arrivals = run(transit);
  EXPECT_THAT(arrivals, testing::Contains(std::pair{3U, Nanoseconds{50 + 20 + 20 + 20}}));
  EXPECT_THAT(arrivals, testing::Contains(std::pair{2U, Nanoseconds{330}}));
  EXPECT_THAT(arrivals, testing::Contains(std::pair{2U, Nanoseconds{430}}));
}

TEST_F(TransitTest, BroadcastTakesEachTreeChannelOnceAndReachesAllOthers) {
  const Cluster cluster = line_of_switches(2, 2);
  const Network network(cluster, 0);
  Transit transit(network, {});
  transit.enter(0, every_host, 3, frame_of(100), 0);
  EXPECT_THAT(run(transit), UnorderedElementsAre(std::pair{1U, 220}, std::pair{2U, 330}, std::pair{3U, 330}));
  EXPECT_THAT(transit.finished(), ElementsAre(3U));
  for (ChannelId id = 0; id < network.channel_count(); ++id) {
    EXPECT_LE(transit.counters()[id].frames, 1U) << cluster.channel_name(id);
  }
}

TEST_F(TransitTest, AFullSwitchPortDropsTheTailAndKeepsServing) {
  const Cluster cluster = line_of_switches(1, 3);
  const Network network(cluster, 0);
  Transit transit(network, {.switch_port_bytes = 150, .host_bytes = 1U << 20U});
  // Two senders offer the port to h2 twice what it carries.
  FrameId id = 0;
  for (unsigned i = 0; i < 6; ++i) {
    transit.enter(0, 2, id++, frame_of(100), i * 100 * us);
    transit.enter(1, 2, id++, frame_of(100), i * 100 * us);
  }
  const Arrivals arrivals = run(transit);
  std::uint64_t dropped = 0;
  for (const ChannelCounters& channel : transit.counters()) {
    dropped += channel.dropped_frames;
    EXPECT_LE(channel.most_queued_bytes, 150U);
  }
  EXPECT_GT(dropped, 0U);
  EXPECT_EQ(arrivals.size() + dropped, 12U);
  EXPECT_EQ(transit.finished().size(), 12U);
  // No gap: the channel sent one frame after another.
  for (std::size_t i = 1; i < arrivals.size(); ++i) {
    EXPECT_EQ(arrivals[i].second - arrivals[i - 1].second, 100U);
  }
}

TEST_F(TransitTest, AHostsOwnQueueHasItsOwnLimit) {
  const Cluster cluster = line_of_switches(1, 2);
  const Network network(cluster, 0);
  Transit transit(network, {.switch_port_bytes = 150, .host_bytes = 1U << 20U});
  for (FrameId id = 0; id < 100; ++id) {
    transit.enter(0, 1, id, frame_of(100), 0);
  }
  EXPECT_EQ(run(transit).size(), 100U);
}

TEST_F(TransitTest, NothingIsHandedOutBeforeItIsDue) {
  const Cluster cluster = line_of_switches(1, 2);
  const Network network(cluster, 0);
  Transit transit(network, {});
  transit.enter(0, 1, 0, frame_of(100), 0);
  EXPECT_EQ(transit.next_turn(), 110 * us);
  EXPECT_THAT(run(transit, 219 * us), ElementsAre());
  EXPECT_EQ(transit.next_delivery(), 220 * us);
  EXPECT_EQ(transit.next_turn(), Transit::never);
  EXPECT_THAT(run(transit, 220 * us), ElementsAre(std::pair{1U, 220}));
}

TEST_F(TransitTest, AnotherRateScalesEveryLinkAndNoLatency) {
  const Cluster cluster = line_of_switches(2, 1, byte_per_us / 2);
  Network network(cluster, 2 * byte_per_us);
  Transit transit(network, {});
  transit.enter(0, 1, 0, frame_of(100), 0);
  EXPECT_THAT(run(transit), ElementsAre(std::pair{1U, 50 + 10 + 100 + 10 + 50 + 10}));
  network.set_rate(0);
  transit.enter(0, 1, 1, frame_of(100), 1000 * us);
  EXPECT_THAT(run(transit), ElementsAre(std::pair{1U, 1000 + 100 + 10 + 200 + 10 + 100 + 10}));
}

}  // namespace
}  // namespace trunkline::fabric
