// SPDX-License-Identifier: Apache-2.0
// What a broadcast by multicast takes, counted by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/registry.hpp"
#include "kinds/multicast/costs.hpp"
#include "kinds/multicast/datagram.hpp"
#include "network/with_speeds.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

/// Three hosts at 100 Mbit/s, 10 us a link; both others report to the root.
struct FlatMulticast {
  Cluster cluster = testing::one_switch(3);
  Paths paths{cluster};
  Placement placement = block_placement(cluster, 1);
  Multicast multicast{.confirm = root_alone(3, 0), .byte_s = 0.0};

  FlatMulticast() {
    add_child(multicast.confirm, 0, 1);
    add_child(multicast.confirm, 0, 2);
  }
  [[nodiscard]] double seconds(std::uint64_t bytes, const HostCosts& hosts) const {
    return multicast_costs(paths, placement, multicast, hosts).seconds(bytes, 1);
  }
};

constexpr double bit8 = 8.0 / 100e6;       // of a byte
constexpr double two_links = 2.0 * 10e-6;  // latency
constexpr double no_data = 130.0 * bit8;   // an MPI message without data on one link
/// Of a meeting, which three ranks have in two rounds, before every 15th call.
constexpr double met = 2.0 * (two_links + 2.0 * no_data) / 15.0;
/// Of a message that is not eager: that both are done.
constexpr double back = two_links + 2.0 * no_data;

TEST(MulticastTimes, AreThoseOfTheSlowestLink) {
  const FlatMulticast flat;
  const HostCosts free;
  const double besides = two_links + 1538 * bit8 + met;  // 1538 bytes are stored in the switch
  EXPECT_DOUBLE_EQ(flat.seconds(1432, free), 1538 * bit8 + besides);
  EXPECT_DOUBLE_EQ(flat.seconds(1433, free), (1538 + 107) * bit8 + besides);
  EXPECT_DOUBLE_EQ(flat.seconds(10, free), 116 * bit8 + two_links + 116 * bit8 + met);
  EXPECT_DOUBLE_EQ(flat.seconds(100 * 1432, free), 100 * 1538 * bit8 + besides + back);
}

TEST(MulticastTimes, HaveNoWayBackWhereTheRootLeaves) {
  FlatMulticast line;
  line.multicast.confirm = line_through({0, 1, 2});
  const HostCosts free;
  const FlatMulticast flat;
  EXPECT_DOUBLE_EQ(line.seconds(6 * 1432, free), flat.seconds(6 * 1432, free));
  EXPECT_DOUBLE_EQ(line.seconds(6 * 1432 + 1, free), flat.seconds(6 * 1432 + 1, free) + back);
}

TEST(MulticastTimes, KeepThePaceOfThePlan) {
  FlatMulticast flat;
  const HostCosts free;
  const double at_the_links = flat.seconds(1432000, free);
  flat.multicast.byte_s = bit8 / 2.0;  // no link is that fast
  EXPECT_DOUBLE_EQ(flat.seconds(1432000, free), at_the_links);
  flat.multicast.byte_s = 2.0 * bit8;
  EXPECT_NEAR(flat.seconds(1432000, free), at_the_links + 1000 * 1538 * bit8, 1e-5);
}

TEST(MulticastTimes, CountWhatHostsSpend) {
  const FlatMulticast flat;
  HostCosts busy;
  busy.datagram_send_s = 1e-3;  // longer than a frame on the wire
  busy.datagram_receive_s = 2e-3;
  busy.datagram_receive_byte_s = 1e-6;
  const double besides = two_links + 1538 * bit8 + met + back;
  EXPECT_DOUBLE_EQ(flat.seconds(14320, busy), 1e-3 + 10 * (2e-3 + 1432e-6) + besides);
  busy.datagram_send_s = 5e-3;
  EXPECT_DOUBLE_EQ(flat.seconds(14320, busy), 10 * 5e-3 + 2e-3 + 1432e-6 + besides);
  EXPECT_DOUBLE_EQ(flat.seconds(0, busy), 5e-3 + 2e-3 + 2 * 106 * bit8 + two_links + met);
  HostCosts slow;  // of messages: two hops of a meeting's 15th; two say that they are done, at once
  slow.send_s = 1e-3;
  slow.receive_s = 2e-3;
  EXPECT_DOUBLE_EQ(flat.seconds(14320, slow), 10 * 1538 * bit8 + besides + 2 * 3e-3 / 15 + 5e-3);
  HostCosts shared;  // two receivers that wake, six messages of a meeting, two reports and two that are done
  shared.shared_s = 1e-3;
  shared.shared_byte_s = 1e-6;
  EXPECT_DOUBLE_EQ(flat.seconds(14320, shared), 2 * (9 * 1e-3 / 3 + 9 * 1432e-6) + besides + 7e-3 + 6e-3 / 15 + 4e-3);
}

TEST(MulticastTimes, CountTheRanksOfAHost) {
  const Cluster cluster = testing::one_switch(3);
  const Plan plan = lay(Collective::bcast, "multicast", &cluster, block_placement(cluster, 4), 0);
  HostCosts busy;
  busy.datagram_receive_s = 1e-3;
  const double alone = costs_of(cluster, block_placement(cluster, 4), plan, Collective::bcast, busy)->seconds(14320, 1);
  busy.datagram_rank_s = 1e-3;
  const double all = costs_of(cluster, block_placement(cluster, 4), plan, Collective::bcast, busy)->seconds(14320, 1);
  EXPECT_NEAR(all - alone, 10 * 3 * 1e-3, 1e-9);
}

/// Where the last switch has few receivers, those before it are awake by the time that theirs comes.
TEST(MulticastTimes, WakeReceiversAsFramesReachThem) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: line\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: 's[0-1]'\n"
      "hosts:\n  - {hosts: 'h[0-3]', switch: s0}\n  - {hosts: 'h[4-7]', switch: s1}\nlinks:\n  - between: [s0, s1]\n",
      "line.yaml");
  const Placement placement = block_placement(cluster, 1);
  const Plan plan = lay(Collective::bcast, "multicast", &cluster, placement, 0);
  const auto seconds = [&](double shared_s) {
    HostCosts hosts;
    hosts.shared_s = shared_s;
    return costs_of(cluster, placement, plan, Collective::bcast, hosts)->seconds(1432, 1);
  };
  const auto besides = [](double shared_s) { return 3 * 8 * shared_s / 15; };  // a meeting's part
  const double free = seconds(0.0);
  EXPECT_NEAR(seconds(1e-7) - besides(1e-7), free + 4 * 3.5e-7, 1e-12);  // the wire hides the three before
  EXPECT_NEAR(seconds(1.0) - besides(1.0), free - 1538 * bit8 - 10e-6 + 7 * 3.5, 1e-6);
}

TEST(MulticastTimes, PayWhereLinksAndNotHostsSetThePace) {
  for (const Collective collective : {Collective::bcast, Collective::allgather, Collective::allreduce}) {
    const auto pays = [&](const Cluster& cluster, std::uint32_t ranks_per_host) {
      const Placement placement = block_placement(cluster, ranks_per_host);
      return costs_of(cluster, placement, lay(collective, "multicast", &cluster, placement, 0), collective)->can_pay();
    };
    EXPECT_FALSE(pays(testing::one_switch(2), 1));
    EXPECT_FALSE(pays(testing::one_switch(2), 4));  // two hosts still
    EXPECT_TRUE(pays(testing::one_switch(3), 1));
    EXPECT_TRUE(pays(scaled(testing::one_switch(3), 1e9), 16));
    EXPECT_FALSE(pays(scaled(testing::one_switch(3), 10e9), 1));
    EXPECT_FALSE(pays(scaled(testing::one_switch(3), 100e9), 1));
  }
}

/// Else the library may have a network that needs no processor.
TEST(MulticastTimes, PayOnFastLinksWhereItIsKnownWhatMessagesCost) {
  const auto pays = [](Rank hosts_used, const char* costs) {
    const Cluster cluster = scaled(testing::one_switch(hosts_used), 100e9);
    const Placement placement = block_placement(cluster, 1);
    const Plan plan = lay(Collective::allgather, "multicast", &cluster, placement, 0);
    const HostCosts hosts = host_costs_from(costs, usual_host_costs());
    return costs_of(cluster, placement, plan, Collective::allgather, hosts)->can_pay();
  };
  EXPECT_TRUE(pays(3, "mpich"));
  EXPECT_TRUE(pays(3, "openmpi,shared=1us"));
  EXPECT_FALSE(pays(3, ""));
  EXPECT_FALSE(pays(3, "shared=1us"));  // says nothing of the network
  EXPECT_FALSE(pays(2, "mpich"));
}

TEST(MulticastTimes, OpeningCostsMoreThanAMeeting) {
  const FlatMulticast flat;
  const MulticastCosts costs = multicast_costs(flat.paths, flat.placement, flat.multicast);
  EXPECT_GT(costs.opening_s(), 5.0 * costs.group.meeting_s);
  EXPECT_LT(costs.opening_s(), 0.1);
}

TEST(MulticastTimes, DoNotDependOnTheSegment) {
  const FlatMulticast flat;
  const MulticastCosts costs = multicast_costs(flat.paths, flat.placement, flat.multicast);
  for (const std::uint64_t segment : segment_sizes()) EXPECT_EQ(costs.seconds(5000, segment), costs.seconds(5000, 1));
  const std::uint64_t best = costs.best_segment(1 << 20);
  EXPECT_TRUE(std::ranges::find(segment_sizes(), best) != segment_sizes().end());
  EXPECT_LE(best, datagram_payload_bytes);
  EXPECT_EQ(costs.fastest_segment(5000, cuts_of(5000)).segment_bytes, best);
  EXPECT_EQ(costs.fastest_segment(5000, cuts_of(5000)).seconds, costs.seconds(5000, best));
}

/// Both others' blocks come into each host, one after the other, and the last frame is stored once.
TEST(MulticastTimes, ByTurnsAreThoseOfWhatComesIntoAHost) {
  const FlatMulticast flat;
  Multicast turns{.order = {0, 1, 2}, .at_once = 3};
  const HostCosts free;
  const auto seconds = [&](std::uint64_t bytes, const HostCosts& hosts) {
    return turn_costs(flat.paths, flat.placement, turns, hosts).seconds(bytes, 1);
  };
  EXPECT_DOUBLE_EQ(seconds(3 * 1000, free), 2 * 1106 * bit8 + two_links + 1106 * bit8);
  EXPECT_DOUBLE_EQ(seconds(3 * 2864, free), 2 * 2 * 1538 * bit8 + two_links + 1538 * bit8);
  turns.at_once = 1;  // each waits for the one before
  EXPECT_DOUBLE_EQ(seconds(3 * 1000, free), 3 * (two_links + 1106 * bit8) + 3 * 1106 * bit8);
  HostCosts busy;
  busy.datagram_send_s = 1e-3;
  busy.datagram_receive_s = 2e-3;
  turns.at_once = 3;
  EXPECT_DOUBLE_EQ(seconds(3 * 1000, busy), 1e-3 + 2 * 2e-3 + two_links + 1106 * bit8);
  HostCosts slow;  // of messages, of which there are none
  slow.send_s = 1e-3;
  slow.receive_s = 2e-3;
  EXPECT_DOUBLE_EQ(seconds(3 * 1000, slow), seconds(3 * 1000, free));
  HostCosts quick;  // one datagram is sent before the wire is busy, and one is heard after it
  quick.datagram_send_s = 1e-6;
  quick.datagram_receive_s = 2e-6;
  EXPECT_DOUBLE_EQ(seconds(3 * 1000, quick), seconds(3 * 1000, free) + 3e-6);
  HostCosts shared;  // three blocks of two datagrams, each of which two hear
  shared.shared_s = 3e-3;
  shared.shared_byte_s = 1e-6;
  EXPECT_DOUBLE_EQ(seconds(3 * 2864, shared), 12 * 1e-3 + 6 * 2864e-6 + 2 * 3.5 * 3e-3 + two_links + 1538 * bit8);
}

/// Three ranks send up to six packets at a time, and each piece waits for the one before.
TEST(MulticastTimes, ByTurnsGoInPieces) {
  const FlatMulticast flat;
  const Multicast turns{.order = {0, 1, 2}, .at_once = 1};
  const TurnCosts costs = turn_costs(flat.paths, flat.placement, turns, HostCosts{});
  const double way = two_links + 1538 * bit8;
  const double piece = 6 * 1538 * bit8;
  EXPECT_DOUBLE_EQ(costs.seconds(3 * 6 * 1432, 1), 2 * (way + piece) + piece + way);
  EXPECT_DOUBLE_EQ(costs.seconds(3 * 12 * 1432, 1), 5 * (way + piece) + piece + way);
}

/// What comes from far away comes later, but meanwhile others' blocks keep the link busy.
TEST(MulticastTimes, ByTurnsHideTheWayOfWhatIsBehindOthers) {
  const auto seconds = [](const char* near, const char* far) {
    const Cluster cluster = parse_cluster(
        std::string("trunkline: cluster/1\nname: line\ndefaults: {rate: 100Mbit, latency: 10us}\n"
                    "switches: 's[0-1]'\nhosts:\n  - {hosts: '") +
            near + "', switch: s0}\n  - {hosts: '" + far + "', switch: s1}\nlinks:\n  - between: [s0, s1]\n",
        "line.yaml");
    const Placement placement = block_placement(cluster, 1);
    const Plan plan = lay(Collective::allgather, "multicast", &cluster, placement, 0);
    return costs_of(cluster, placement, plan, Collective::allgather, HostCosts{})->seconds(placement.size() * 1000, 1);
  };
  constexpr double frame = 1106 * bit8;
  EXPECT_NEAR(seconds("h[0-3]", "h[4-7]"), 7 * frame + two_links + frame, 1e-9);
  // The only host of its switch hears nothing before.
  EXPECT_NEAR(seconds("h[0-6]", "h7"), 7 * frame + 3 * 10e-6 + 2 * frame, 1e-9);
}

TEST(MulticastTimes, OfAllCallsOpenTheSameGroup) {
  const Cluster cluster = testing::one_switch(5);
  const Placement placement = block_placement(cluster, 2);
  const auto costs = [&](Collective collective) {
    return costs_of(cluster, placement, lay(collective, "multicast", &cluster, placement, 0), collective);
  };
  const double opening_s = costs(Collective::bcast)->opening_s();
  EXPECT_GT(opening_s, 0.0);
  for (const Collective other : {Collective::allgather, Collective::allreduce, Collective::barrier}) {
    EXPECT_DOUBLE_EQ(costs(other)->opening_s(), opening_s) << facts_of(other).name;
  }
}

TEST(MulticastTimes, OfResultsFollowTheOperands) {
  FlatMulticast flat;
  const HostCosts free;
  const Trees trees{flat.multicast.confirm};
  const auto up = tree_costs(flat.paths, flat.placement, trees, Direction::up, free);
  const auto both = tree_costs(flat.paths, flat.placement, trees, Direction::up_and_down, free);
  const ResultCosts costs = result_costs(flat.paths, flat.placement, flat.multicast, free);
  const double last = 2.0 * (two_links / 2.0) + 2 * (8192 - 5 * 1432 + 106) * bit8;
  EXPECT_DOUBLE_EQ(costs.seconds(8192, 512), up.seconds(8192, 512) + last);
  EXPECT_DOUBLE_EQ(costs.seconds(8193, 512), both.seconds(8193, 512));
  EXPECT_EQ(costs.best_segment(4096), up.best_segment(4096));
}

TEST(MulticastTimes, OfOneRankAreNone) {
  const Cluster cluster = testing::one_switch(2);
  const Plan plan = lay(Collective::bcast, "multicast", &cluster, Placement(1, 0), 0);
  EXPECT_EQ(costs_of(cluster, Placement(1, 0), plan)->seconds(1000, 1000), 0.0);
  EXPECT_THROW(static_cast<void>(costs_of(cluster, Placement(2, 0), plan)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(costs_of(cluster, Placement(1, 0), plan, Collective::reduce)), std::invalid_argument);
}

}  // namespace
}  // namespace trunkline
