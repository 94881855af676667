// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_times.hpp"

#include <gtest/gtest.h>

#include "model/transfer/wire.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

constexpr double bit_s = 1.0 / 100e6;
constexpr double hop_s = 2.0 * 10e-6;

double share_wire_s(std::uint64_t bytes) { return static_cast<double>(wire_bytes(bytes)) * 8.0 * bit_s; }

double native_shares_s(const Cluster& cluster, const Placement& placement, std::uint64_t bytes, NativeLibrary library,
                       Collective collective, const HostCosts& hosts = host_costs_named("free")) {
  const Paths paths(cluster);
  return native_times(paths, placement, collective, 0, library, hosts)->seconds(bytes);
}

double shares_s(Rank ranks, std::uint64_t bytes, NativeLibrary library, Collective collective = Collective::allgather) {
  const Cluster cluster = testing::one_switch(ranks);
  const Placement placement = block_placement(cluster, 1);
  return native_shares_s(cluster, placement, bytes, library, collective);
}

/// Blocks of 100 bytes: one, two and four of them on each link, once stored in the switch.
TEST(NativeShares, EachRoundOfDoublingHasItsOwnMessages) {
  const double rounds = 3.0 * hop_s + 2.0 * (share_wire_s(100) + share_wire_s(200) + share_wire_s(400));
  EXPECT_NEAR(shares_s(8, 800, NativeLibrary::mpich), rounds, 1e-9);
}

/// Of six ranks two hand all that they have to another one each, and get their blocks from those at the end.
TEST(NativeShares, ReduceScattersInPairsWithoutThoseBeyondAPowerOfTwo) {
  const double rounds =
      4.0 * hop_s + 2.0 * (share_wire_s(600) + share_wire_s(300) + share_wire_s(150) + share_wire_s(100));
  EXPECT_NEAR(shares_s(6, 600, NativeLibrary::mpich, Collective::reduce_scatter), rounds, 1e-9);
  const double of_eight = 3.0 * hop_s + 2.0 * (share_wire_s(400) + share_wire_s(200) + share_wire_s(100));
  EXPECT_NEAR(shares_s(8, 800, NativeLibrary::mpich, Collective::reduce_scatter), of_eight, 1e-9);
}

/// Blocks of 16 KiB go without asking, whatever their number.
TEST(NativeShares, ABlockIsNoByteLongerThanItIs) {
  const Cluster cluster = testing::one_switch(24);
  const HostCosts& hosts = host_costs_named("mpich");
  const auto seconds = [&](std::uint64_t block_bytes) {
    return native_shares_s(cluster, block_placement(cluster, 1), 24 * block_bytes, NativeLibrary::mpich,
                           Collective::allgather, hosts);
  };
  EXPECT_NEAR(seconds(hosts.eager_bytes), seconds(hosts.eager_bytes - 1), 23 * 1e-6);
  EXPECT_GT(seconds(hosts.eager_bytes + 1), seconds(hosts.eager_bytes) + 23 * hosts.rendezvous_s);
}

TEST(NativeShares, MpichGathersRoundARingFromItsOwnSizesOn) {
  const auto ring_s = [](Rank ranks, std::uint64_t bytes) {
    return (ranks - 1.0) * (hop_s + share_wire_s(bytes / ranks) + 1538 * 8.0 * bit_s);
  };
  EXPECT_NEAR(shares_s(8, 524288, NativeLibrary::mpich) / ring_s(8, 524288), 1.0, 0.01);
  EXPECT_NEAR(shares_s(7, 81920, NativeLibrary::mpich) / ring_s(7, 81920), 1.0, 0.01);
  EXPECT_FALSE(mpich_gathers_round_a_ring(8, 524287));
  EXPECT_FALSE(mpich_gathers_round_a_ring(7, 81919));
  EXPECT_TRUE(mpich_gathers_round_a_ring(7, 81920));
}

/// Of hosts with several ranks each sends nearly all blocks of its ranks, where a ring sends one at a time.
TEST(NativeShares, MpichScattersLongOnesPairwise) {
  const Cluster cluster = testing::one_switch(4);
  const Placement placement = block_placement(cluster, 4);
  const auto seconds = [&](std::uint64_t bytes, NativeLibrary library) {
    return native_shares_s(cluster, placement, bytes, library, Collective::reduce_scatter);
  };
  const std::uint64_t bytes = 1 << 20;
  // At distances 1 to 3 and 13 to 15 so many ranks of a host send to others, at the others all four.
  const double messages = 2 * (1 + 2 + 3) + 9 * 4;
  EXPECT_NEAR(seconds(bytes, NativeLibrary::mpich) / (messages * share_wire_s(bytes / 16)), 1.0, 0.03);
  EXPECT_LT(seconds(bytes, NativeLibrary::openmpi), 0.5 * seconds(bytes, NativeLibrary::mpich));
  EXPECT_LE(seconds(524287, NativeLibrary::openmpi), seconds(524287, NativeLibrary::mpich));
}

/// What Open MPI runs is not known: the faster one is a lower bound.
TEST(NativeShares, AreTheFasterOneWhereNobodyKnows) {
  for (const std::uint64_t bytes : {70U, 7000U, 70000U, 700000U}) {
    const double open_mpi = shares_s(7, bytes, NativeLibrary::openmpi);
    EXPECT_LE(open_mpi, shares_s(7, bytes, NativeLibrary::mpich)) << bytes;
    if (!mpich_scatters_pairwise(bytes)) {
      EXPECT_LE(shares_s(7, bytes, NativeLibrary::openmpi, Collective::reduce_scatter),
                shares_s(7, bytes, NativeLibrary::mpich, Collective::reduce_scatter))
          << bytes;
    }
  }
  EXPECT_LT(shares_s(7, 90000, NativeLibrary::openmpi), shares_s(7, 90000, NativeLibrary::mpich));
}

/// Hosts in a row on two sites: in pairs, one round crosses the long link; to the one before, each does.
TEST(NativeShares, OfAPowerOfTwoOfRanksGoInPairs) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: x\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: [s0, s1]\n"
      "hosts: [{hosts: 'a[0-3]', switch: s0}, {hosts: 'b[0-3]', switch: s1}]\n"
      "links: [{between: [s0, s1], latency: 20ms}]\n",
      "x.yaml");
  const auto seconds = [&](Rank ranks) {
    Placement placement = block_placement(cluster, 1);
    placement.resize(ranks);
    return native_shares_s(cluster, placement, 8 * ranks, NativeLibrary::mpich, Collective::allgather);
  };
  EXPECT_NEAR(seconds(8), 20e-3, 1e-3);
  EXPECT_NEAR(seconds(7), 60e-3, 1e-3);
}

TEST(NativeShares, OfOneRankAreNone) { EXPECT_EQ(shares_s(1, 1000, NativeLibrary::mpich), 0.0); }

}  // namespace
}  // namespace trunkline
