// SPDX-License-Identifier: Apache-2.0
#include "replay/replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "algorithms/registry.hpp"
#include "kinds/kinds.hpp"
#include "kinds/trees/trees.hpp"
#include "model/transfer/wire.hpp"
#include "network/file/cluster_file.hpp"
#include "networks.hpp"
#include "patterns/tree.hpp"

namespace trunkline::replays {
namespace {

constexpr double byte_s = 8.0 / 100e6;  // of testing::one_switch()
constexpr double link_s = 10e-6;
constexpr std::uint64_t whole_frame = frame_payload_bytes - mpi_header_bytes;
constexpr double frame_s = static_cast<double>(frame_wire_bytes) * byte_s;

double wire_s(std::uint64_t bytes) { return static_cast<double>(wire_bytes(bytes)) * byte_s; }

/// A host for each rank, on one switch.
double seconds(const Tree& tree, Collective collective, std::uint64_t message, std::uint64_t segment,
               const HostCosts& hosts = host_costs_named("free")) {
  const Cluster cluster = testing::one_switch(static_cast<unsigned>(tree.size()));
  return replayed(Paths(cluster), block_placement(cluster, 1), plan_of(Trees{tree}), collective, hosts, message,
                  segment)
      .seconds;
}

Tree line(Rank ranks) {
  std::vector<Rank> order;
  for (Rank rank = 0; rank < ranks; ++rank) order.push_back(rank);
  return line_through(order);
}

Tree star(Rank ranks) {
  Tree tree = root_alone(ranks, 0);
  for (Rank rank = 1; rank < ranks; ++rank) add_child(tree, 0, rank);
  return tree;
}

HostCosts busy_hosts() {
  HostCosts hosts = host_costs_named("free");
  hosts.send_s = 30e-6;
  hosts.receive_s = 20e-6;
  return hosts;
}

TEST(Replay, AMessageIsStoredByTheSwitchFrameByFrame) {
  EXPECT_NEAR(seconds(line(2), Collective::bcast, whole_frame, whole_frame), 2.0 * frame_s + 2.0 * link_s, 1e-12);
  EXPECT_NEAR(seconds(line(2), Collective::bcast, 10000, 10000), frame_s + wire_s(10000) + 2.0 * link_s, 1e-12);
}

TEST(Replay, ALongMessageIsAnnouncedFirst) {
  HostCosts hosts = host_costs_named("free");
  hosts.eager_bytes = 9999;
  EXPECT_NEAR(seconds(line(2), Collective::bcast, 10000, 10000, hosts), frame_s + wire_s(10000) + 6.0 * link_s, 1e-12);
}

// Formula 1 of Patarasuk, Faraj, Yuan (2008): all hops of the first segment, then one segment after another.
RC_GTEST_PROP(Replay, ALineTakesItsHopsAndThenASegmentEach, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(2, 9);
  const auto segments = *rc::gen::inRange<std::uint64_t>(1, 200);
  const double hop_s = 2.0 * frame_s + 2.0 * link_s;
  const double expected_s = (ranks - 1) * hop_s + static_cast<double>(segments - 1) * frame_s;
  const double took_s = seconds(line(ranks), Collective::bcast, segments * whole_frame, whole_frame);
  RC_ASSERT(std::abs(took_s - expected_s) < 1e-9);
}

TEST(Replay, AProcessorSendsToOneChildAfterAnother) {
  const double way_s = 2.0 * frame_s + 2.0 * link_s;
  EXPECT_NEAR(seconds(star(2), Collective::bcast, whole_frame, whole_frame, busy_hosts()), 50e-6 + way_s, 1e-12);
  // A frame takes the port four times as long as the processor.
  EXPECT_NEAR(seconds(star(4), Collective::bcast, whole_frame, whole_frame, busy_hosts()),
              50e-6 + way_s + 2.0 * frame_s, 1e-12);
}

TEST(Replay, WhatARankTakesInWaitsForWhatItSends) {
  HostCosts hosts = busy_hosts();
  hosts.receive_s = 1e-3;
  hosts.send_s = 1e-3;
  // A middle rank takes in a segment and sends one, by turns.
  const double took_s = seconds(line(3), Collective::bcast, 100 * whole_frame, whole_frame, hosts);
  EXPECT_NEAR(took_s, 2.0 * 2e-3 + 99.0 * 2e-3, 1e-3 + 3.0 * 2.0 * (frame_s + link_s));
}

TEST(Replay, MessagesOfSeveralFramesShareALink) {
  const double alone_s = seconds(star(2), Collective::reduce, 10000, 10000);
  EXPECT_NEAR(seconds(star(3), Collective::reduce, 10000, 10000), alone_s + wire_s(10000), 1e-12);
}

TEST(Replay, MessagesOfOneFrameGoInTheirOrder) {
  HostCosts hosts = host_costs_named("free");
  hosts.receive_s = 10.0 * frame_s;
  // Each is taken in while the next ones come.
  const double way_s = 2.0 * frame_s + 2.0 * link_s;
  EXPECT_NEAR(seconds(star(4), Collective::reduce, whole_frame, whole_frame, hosts), way_s + 30.0 * frame_s, 1e-12);
}

TEST(Replay, CombiningHoldsUpWhatIsSentNext) {
  HostCosts hosts = host_costs_named("free");
  const double free_s = seconds(line(3), Collective::reduce, 1000, 1000, hosts);
  hosts.combine_byte_s = 1e-6;
  EXPECT_NEAR(seconds(line(3), Collective::reduce, 1000, 1000, hosts), free_s + 1e-3, 1e-12);
}

TEST(Replay, AWindowOfTcpIsSentInARoundTrip) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: far\ndefaults: {rate: 1Gbit, latency: 10ms}\nswitches: [s]\n"
      "hosts:\n  - {hosts: 'h[0-1]', switch: s, tcp_window: 100kB}\n",
      "far.yaml");
  const auto took_s = [&](std::uint64_t bytes) {
    return replayed(Paths(cluster), block_placement(cluster, 1), plan_of(Trees{line(2)}), Collective::bcast,
                    host_costs_named("free"), bytes, 10000)
        .seconds;
  };
  EXPECT_LT(took_s(100000), 0.022);
  EXPECT_NEAR(took_s(1100000) - took_s(100000), 10.0 * 0.04, 1e-3);
}

TEST(Replay, HostsOfOneMachineShareItsProcessors) {
  HostCosts hosts = host_costs_named("free");
  hosts.shared_s = 1e-3;
  EXPECT_NEAR(seconds(star(9), Collective::bcast, 8, 8, hosts), 8e-3, 1e-3);
}

TEST(Replay, SaysWhatItCannot) {
  const Cluster cluster = testing::one_switch(4);
  const Plan plan = plan_of(Trees{star(3)});
  EXPECT_THROW(static_cast<void>(replayed(Paths(cluster), block_placement(cluster, 1), plan, Collective::bcast,
                                          host_costs_named("free"), 8, 8)),
               std::invalid_argument);
  const Plan multicast = lay(Collective::bcast, "multicast", &cluster, block_placement(cluster, 1), 0);
  EXPECT_THROW(static_cast<void>(replayed(Paths(cluster), block_placement(cluster, 1), multicast, Collective::bcast,
                                          host_costs_named("free"), 8, 8)),
               std::invalid_argument);
}

/// Bytes that some rank's port must carry at least, over those of the message.
double least_part(Collective collective, std::size_t ranks) {
  const double others = 1.0 - 1.0 / static_cast<double>(ranks);
  return facts_of(collective).goes_by_shares() ? others : 1.0;
}

// Every algorithm of every collective, on any network: nobody waits for ever, and no link carries more than it can.
RC_GTEST_PROP(Replay, NoPlanIsStuckOrFasterThanItsLinks, ()) {
  const Cluster cluster{testing::random_parts(4, 9)};
  const auto ranks_a_host = *rc::gen::inRange<std::uint32_t>(1, 4);
  const Placement placement = block_placement(cluster, ranks_a_host);
  if (cluster.hosts().size() < 2) return;
  const auto collective =
      *rc::gen::element(Collective::bcast, Collective::reduce, Collective::allreduce, Collective::allgather,
                        Collective::reduce_scatter, Collective::gather, Collective::scatter);
  const auto message = *rc::gen::inRange<std::uint64_t>(1, 20000) * placement.size();
  const auto segment = *rc::gen::inRange<std::uint64_t>(100, 50000);
  const Paths paths(cluster);
  double fastest_byte_s = 1.0;
  for (ChannelId channel = 0; channel < cluster.channel_count(); ++channel) {
    fastest_byte_s = std::min(fastest_byte_s, paths.spread_byte_s(channel));
  }
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != collective || algorithm.is_native() || algorithm.kind->wants_datagrams) continue;
    Plan plan;
    try {
      plan = lay(collective, algorithm.name, &cluster, placement, 0);
    } catch (const std::invalid_argument&) {
      continue;  // not for that number of ranks
    }
    const Replayed took = replayed(paths, placement, plan, collective, host_costs_named("mpich"), message, segment);
    const double least_s = least_part(collective, cluster.hosts().size()) * static_cast<double>(message) *
                           fastest_byte_s / static_cast<double>(ranks_a_host);
    RC_ASSERT(took.seconds > 0.5 * least_s);
  }
}

}  // namespace
}  // namespace trunkline::replays
