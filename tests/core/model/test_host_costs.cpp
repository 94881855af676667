// SPDX-License-Identifier: Apache-2.0
#include "model/transfer/host_costs.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "algorithms/registry.hpp"
#include "choose/choose.hpp"
#include "model/transfer/wire.hpp"
#include "network/file/cluster_file.hpp"
#include "network/with_speeds.hpp"
#include "networks.hpp"
#include "plan/costs.hpp"
#include "plan/in_flight.hpp"

namespace trunkline {
namespace {

using testing::one_switch;

Cluster at(const Cluster& cluster, double rate_bps) { return scaled(cluster, rate_bps); }

Costs costs_on(const Cluster& cluster, std::string_view algorithm, std::string_view hosts) {
  const Placement placement = block_placement(cluster, 1);
  return costs_of(cluster, placement, lay(Collective::bcast, algorithm, &cluster, placement, 0), Collective::bcast,
                  host_costs_named(hosts));
}

TEST(HostCosts, AreFoundByNameAndLibrary) {
  EXPECT_EQ(known_host_costs().front().name, "free");
  EXPECT_EQ(host_costs_of("openmpi", "5.0.11").name, "openmpi");
  EXPECT_EQ(host_costs_of("mpich", "4.0.2").name, "mpich");
  EXPECT_EQ(host_costs_of("mpich", "5.0.2").name, "mpich-5");
  EXPECT_EQ(host_costs_of("mpich", "").name, "mpich");
  try {
    static_cast<void>(host_costs_named("openmp"));
    FAIL();
  } catch (const std::invalid_argument& wrong) {
    EXPECT_NE(std::string(wrong.what()).find("did you mean openmpi"), std::string::npos) << wrong.what();
  }
}

TEST(HostCosts, AreReadFromWhatALabSays) {
  const HostCosts& openmpi = host_costs_named("openmpi");
  EXPECT_EQ(host_costs_from("", openmpi).name, "openmpi");
  EXPECT_EQ(host_costs_from("mpich", openmpi).eager_bytes, host_costs_named("mpich").eager_bytes);
  const HostCosts lab = host_costs_from("shared=16.5us,shared-byte=4ns", openmpi);
  EXPECT_EQ(lab.name, "openmpi");
  EXPECT_DOUBLE_EQ(lab.shared_s, 16.5e-6);
  EXPECT_DOUBLE_EQ(lab.shared_byte_s, 4e-9);
  EXPECT_DOUBLE_EQ(lab.send_s, openmpi.send_s);
  EXPECT_EQ(host_costs_from("free,shared=1us", openmpi).send_s, 0.0);
  const HostCosts by_bytes = host_costs_from("free,send-byte=16ns,receive=2us,receive-byte=3ns", openmpi);
  EXPECT_DOUBLE_EQ(by_bytes.sending_s(1000), 16e-6);
  EXPECT_DOUBLE_EQ(by_bytes.handling_s(1000), (16e-6 + 2e-6 + 3e-6) / 2);
  for (const std::string_view wrong :
       {"shared=1us,free", "shared", "shared=", "shared=1", "shared=-1us", "shared=1us,", ",", "sends=1us", "mpich,"}) {
    EXPECT_THROW(static_cast<void>(host_costs_from(wrong, openmpi)), std::invalid_argument) << wrong;
  }
}

TEST(HostCosts, OfMessagesAreStatedBehindAName) {
  const HostCosts& mpich = host_costs_named("mpich");
  const HostCosts stated =
      host_costs_from("free,send=70.75us,receive=71us,local-send=52.8us,local-receive=7.2us", mpich);
  EXPECT_DOUBLE_EQ(stated.send_s, 70.75e-6);
  EXPECT_DOUBLE_EQ(stated.receive_s, 71e-6);
  EXPECT_DOUBLE_EQ(stated.local_send_s, 52.8e-6);
  EXPECT_DOUBLE_EQ(stated.local_receive_s, 7.2e-6);
  EXPECT_EQ(stated.send_byte_s, 0.0);
  EXPECT_TRUE(stated.is_known);
  EXPECT_DOUBLE_EQ(host_costs_from("mpich,send=1us", mpich).receive_s, mpich.receive_s);
}

TEST(HostCosts, SayWhichProcessorsMemoryIs) {
  HostCosts here = host_costs_named("openmpi");
  EXPECT_EQ(here.memory->name, "epyc");
  EXPECT_FALSE(here.is_memory_named);
  EXPECT_TRUE(host_costs_from("processor=epyc", here).is_memory_named);
  here.memory = &memory_speeds_named("xeon");
  EXPECT_EQ(host_costs_from("", here).memory->name, "xeon");
  EXPECT_EQ(host_costs_from("mpich", here).memory->name, "xeon");
  EXPECT_EQ(host_costs_from("mpich,processor=epyc,shared=1us", here).memory->name, "epyc");
  EXPECT_EQ(host_costs_from("processor=xeon", host_costs_named("mpich")).memory->name, "xeon");
  for (const std::string_view wrong : {"processor", "processor=", "processor=xeons", "processor=1us"}) {
    EXPECT_THROW(static_cast<void>(host_costs_from(wrong, here)), std::invalid_argument) << wrong;
  }
  try {
    static_cast<void>(host_costs_from("processor=xeons", here));
  } catch (const std::invalid_argument& wrong) {
    EXPECT_NE(std::string(wrong.what()).find("did you mean xeon?"), std::string::npos) << wrong.what();
  }
}

TEST(HostCosts, TellProcessorsApartByHowFastTheyHandOver) {
  const std::string_view name = memory_speeds_here().name;
  EXPECT_TRUE(name == "epyc" || name == "xeon") << name;
  EXPECT_EQ(memory_speeds_here(2e-6).name, name);
  EXPECT_EQ(memory_speeds_here(0.5e-6).name, name == "epyc" ? "epyc-near" : name);
}

TEST(HostCosts, OfDatagramsAreSaidAndReadBack) {
  const HostCosts& mpich = host_costs_named("mpich");
  const HostCosts read = host_costs_from("free,datagram-send=1.5us,datagram-receive-byte=0.125ns", mpich);
  EXPECT_DOUBLE_EQ(read.datagram_send_s, 1.5e-6);
  EXPECT_DOUBLE_EQ(read.datagram_receive_byte_s, 0.125e-9);
  EXPECT_EQ(read.datagram_receive_s, 0.0);
  EXPECT_EQ(datagram_costs_text(read),
            "combine-byte=0s,datagram-send=1.5us,datagram-send-byte=0s,datagram-receive=0s,"
            "datagram-receive-byte=0.125ns,datagram-rank=0s");
  const HostCosts back = host_costs_from("free," + datagram_costs_text(mpich), read);
  EXPECT_EQ(back.datagram_send_s, mpich.datagram_send_s);
  EXPECT_EQ(back.datagram_rank_s, mpich.datagram_rank_s);
  EXPECT_EQ(back.combine_byte_s, mpich.combine_byte_s);
}

TEST(HostCosts, OfHostsThatShareProcessorsBoundEveryPlan) {
  // 16 hosts hand 15 messages on for each segment, whoever sends them: nothing is faster than the processors.
  const Cluster cluster = at(one_switch(16), 2e7);
  const Placement placement = block_placement(cluster, 1);
  constexpr double shared_s = 1e-3;
  const HostCosts own = host_costs_named("mpich");
  const HostCosts lab = host_costs_from("mpich,shared=1ms,shared-byte=1us", own);
  for (const Algorithm& one : algorithms()) {
    if (one.is_native()) continue;
    const CollectiveFacts& facts = facts_of(one.collective);
    const Plan plan = lay(one.collective, one.name, &cluster, placement, 0);
    constexpr std::uint64_t bytes = 16384;
    for (const std::uint64_t segments : {1U, 16U}) {
      const auto seconds = [&](const HostCosts& hosts) {
        return costs_of(cluster, placement, plan, one.collective, hosts)->seconds(bytes, bytes / segments);
      };
      EXPECT_GE(seconds(lab), seconds(own)) << facts.name << " " << one.name;
      // Every rank but one gets something, and where trees serve, each of the segments.
      EXPECT_GE(seconds(lab), 15 * shared_s) << facts.name << " " << one.name;
      if (find_trees(plan) == nullptr) continue;
      const double ways = *facts.direction == Direction::up_and_down ? 2.0 : 1.0;
      EXPECT_GE(seconds(lab) * 1.000001, ways * 15 * (static_cast<double>(segments) * shared_s + bytes * 1e-6))
          << facts.name << " " << one.name;
    }
  }
}

TEST(HostCosts, GrowWithTheMessageAndJumpAtTheEagerLimit) {
  for (const HostCosts& hosts : known_host_costs()) {
    double last = 0.0;
    for (const std::uint64_t segment : segment_sizes()) {
      EXPECT_GE(hosts.handling_s(segment), last) << hosts.name;
      last = hosts.handling_s(segment);
    }
  }
  const HostCosts& mpich = host_costs_named("mpich");
  EXPECT_GT(mpich.handling_s(mpich.eager_bytes + 1), mpich.handling_s(mpich.eager_bytes) + 20e-6);
}

TEST(HostCosts, ALongSegmentWaitsForItsReceiverAndSharesTheWire) {
  // One hop: in one segment, what hosts cost is added to the wire; announced first, the way goes there and back before.
  const Cluster cluster = at(one_switch(2), 1e9);
  const auto seconds = [&](std::string_view hosts, std::uint64_t bytes) {
    return costs_on(cluster, "linear", hosts)->seconds(bytes, bytes);
  };
  constexpr std::uint64_t bytes = 131072;
  const HostCosts& openmpi = host_costs_named("openmpi");
  const double wire = static_cast<double>(wire_bytes(bytes));
  EXPECT_NEAR(seconds("openmpi", bytes) - seconds("free", bytes),
              openmpi.send_s + openmpi.receive_s + 2 * openmpi.rendezvous_s + 2 * 20e-6 +
                  (openmpi.send_byte_s + openmpi.receive_byte_s) * wire,
              1e-9);
  // Of two segments under MPICH the first takes as long as both.
  const auto in_two = [&](std::string_view hosts) {
    return costs_on(cluster, "linear", hosts)->seconds(2 * bytes, bytes);
  };
  EXPECT_NEAR(in_two("openmpi"), seconds("openmpi", bytes) + wire * 8 / 1e9, 1e-9);
  EXPECT_NEAR(in_two("mpich"), seconds("mpich", bytes) + 2 * wire * 8 / 1e9, 1e-9);
  EXPECT_LT(seconds("openmpi", openmpi_eager_bytes), seconds("openmpi", openmpi_eager_bytes + 1) - 60e-6);
}

TEST(Segment, GrowsBeyondTheEagerLimitWhereThatPays) {
  // 64 MiB at 100 Gbit/s: 22 us on the wire for 256 KiB, as much as a hop takes anyhow.
  const Cluster fast = at(one_switch(16), 1e11);
  EXPECT_GT(costs_on(fast, "two-tree", "openmpi")->best_segment(1U << 30), 65536U);
  EXPECT_GT(costs_on(fast, "linear", "free")->best_segment(1U << 30), 16384U);
  // Where links are slow, nothing is gained by them.
  const Cluster slow = at(one_switch(16), 2e7);
  for (const std::string_view hosts : {"mpich", "mpich-5", "openmpi"}) {
    EXPECT_LE(costs_on(slow, "two-tree", hosts)->best_segment(1U << 24), 16384U) << hosts;
  }
}

TEST(Segment, GrowsWhereHostsShareProcessors) {
  // As on the lab, 32 hosts on two processors at 20 Mbit/s: parts of a frame pay only where messages cost little.
  const Cluster cluster = at(one_switch(32), 2e7);
  const Placement placement = block_placement(cluster, 1);
  const auto best = [&](std::string_view hosts, std::string_view algorithm, std::uint64_t bytes) {
    const Plan plan = lay(Collective::bcast, algorithm, &cluster, placement, 0);
    return costs_of(cluster, placement, plan, Collective::bcast, host_costs_from(hosts, usual_host_costs()))
        ->best_segment(bytes);
  };
  EXPECT_LT(best("mpich", "two-tree", 8192), 704U);
  EXPECT_GE(best("mpich,shared=20us", "two-tree", 8192), 704U);
  EXPECT_GE(best("mpich,shared=20us", "two-tree", 65536), 1408U);
  EXPECT_GT(best("mpich,shared=20us", "linear", 8192), best("mpich", "linear", 8192));
  EXPECT_EQ(best("mpich,shared=0us", "two-tree", 8192), best("mpich", "two-tree", 8192));
}

TEST(Segment, OfAReductionIsThatOfABroadcastForSegmentsFollowEachOther) {
  // At 10 Gbit/s a frame takes 1.2 us, and the way of a hop 20 us: a segment does not wait for the one before it.
  const Cluster cluster = at(one_switch(16), 1e10);
  const Placement placement = block_placement(cluster, 1);
  const auto best = [&](Collective collective) {
    return costs_of(cluster, placement, lay(collective, "linear", &cluster, placement, 0), collective,
                    host_costs_named("free"))
        ->best_segment(1U << 20U);
  };
  EXPECT_EQ(best(Collective::reduce), best(Collective::bcast));
}

TEST(InFlight, FollowsRateTimesDelay) {
  const auto bytes = [](double rate_bps, std::string_view hosts) {
    const Cluster cluster = at(one_switch(4), rate_bps);
    const Placement placement = block_placement(cluster, 1);
    return in_flight(Paths(cluster), placement, lay(Collective::bcast, "linear", &cluster, placement, 0),
                     Collective::bcast, host_costs_named(hosts));
  };
  EXPECT_NEAR(static_cast<double>(bytes(1e9, "free").delay_bytes), 20e-6 * 1e9 / 8, 1.0);
  EXPECT_EQ(bytes(2e7, "mpich").bytes, least_in_flight_bytes);
  EXPECT_EQ(bytes(1e9, "free").bytes, least_in_flight_bytes);
  EXPECT_NEAR(static_cast<double>(bytes(1e11, "free").bytes), 4 * 20e-6 * 1e11 / 8, 1.0);
  EXPECT_GT(bytes(1.2e10, "mpich").bytes, bytes(1.2e10, "free").bytes);
  EXPECT_EQ(bytes(1e13, "free").bytes, most_in_flight_bytes);
  // Links carry more than processors take in and send on: 0.6 ns a byte.
  EXPECT_NEAR(static_cast<double>(bytes(1e11, "mpich").bytes), 4 * (20e-6 + 24.5e-6) / 0.6e-9, 1.0);
  EXPECT_EQ(bytes(1e13, "mpich").bytes, bytes(1e11, "mpich").bytes);
}

TEST(InFlight, IsFarLessOnHopsThatAreNotFar) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: x\ndefaults: {rate: 1Gbit, latency: 10us}\nswitches: [s0, s1]\n"
      "hosts: [{hosts: 'a[0-1]', switch: s0}, {hosts: 'b[0-1]', switch: s1}]\n"
      "links: [{between: [s0, s1], latency: 20ms}]\n",
      "x.yaml");
  const Placement placement = block_placement(cluster, 1);
  const Paths paths(cluster);
  const Plan line = lay(Collective::reduce, "linear", &cluster, placement, 0);  // a0, a1, b0, b1
  const InFlight under_way = in_flight(paths, placement, line, Collective::reduce, host_costs_named("free"));
  EXPECT_NEAR(static_cast<double>(under_way.bytes), 4 * 20.02e-3 * 1e9 / 8, 1.0);
  EXPECT_EQ(under_way.near_bytes, least_up_in_flight_bytes);
  EXPECT_EQ(far_peers(paths, placement, line.steps(), 0), std::vector<Rank>{});
  EXPECT_EQ(far_peers(paths, placement, line.steps(), 1), std::vector<Rank>{2});
  EXPECT_EQ(far_peers(paths, placement, line.steps(), 2), std::vector<Rank>{1});
}

TEST(InFlight, LastsOverALongLinkWhereOperandsOfSeveralChildrenCome) {
  constexpr std::uint64_t segment = 8648;
  for (const std::uint64_t slots : {1U, 2U, 3U}) {
    const auto window = [&](std::uint64_t bytes) { return up_window_of(segment, segment, bytes, 1, 2, slots); };
    EXPECT_EQ(window(most_in_flight_bytes), widest_window);
    EXPECT_LE(window(least_in_flight_bytes) * slots * segment, usual_slot_bytes);
  }
  EXPECT_LT(up_window_of(segment, segment, most_in_flight_bytes, 1, 8, 9), widest_window);
  // As many in all trees together, but for two of each; more where a path holds more.
  const auto at_once = [&](std::uint64_t bytes, std::uint64_t trees) {
    return sent_up_at_once(segment, bytes, trees, 2);
  };
  EXPECT_EQ(at_once(least_up_in_flight_bytes, 1), least_slots);
  EXPECT_EQ(at_once(least_up_in_flight_bytes, 2), least_slots / 2);
  EXPECT_EQ(at_once(least_up_in_flight_bytes, 16), least_window);
  EXPECT_GT(at_once(most_in_flight_bytes, 16), least_slots);
}

TEST(Choice, FewerLevelsWhereOnlyLatencyCounts) {
  const auto chosen = [](double rate_bps, std::uint64_t bytes) {
    const Cluster cluster = at(one_switch(16), rate_bps);
    const Alternatives alternatives = alternatives_of(Collective::bcast, cluster, block_placement(cluster, 1), 0,
                                                      NativeLibrary::mpich, host_costs_named("free"), false);
    return std::string(pick(alternatives, bytes).algorithm);
  };
  EXPECT_EQ(chosen(1e11, 4096), "flat");
  EXPECT_EQ(chosen(1e8, 65536), "two-tree");
  EXPECT_EQ(chosen(1e11, 1U << 24), "two-tree");
}

}  // namespace
}  // namespace trunkline
