// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_times.hpp"

#include <gtest/gtest.h>

#include <string>

#include "algorithms/trees/flat.hpp"
#include "algorithms/trees/k_nomial.hpp"
#include "model/native/exchanges.hpp"
#include "model/transfer/wire.hpp"
#include "network/file/cluster_file.hpp"
#include "networks.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

using testing::one_switch;

constexpr double rate_bps = 1e8;

double native_bcast_s(const Cluster& cluster, Rank root, std::uint64_t bytes, NativeLibrary library,
                      const HostCosts& hosts = usual_host_costs()) {
  const Paths paths(cluster);
  return native_times(paths, block_placement(cluster, 1), Collective::bcast, root, library, hosts)->seconds(bytes);
}

/// What Open MPI is predicted to take on hosts of one switch, in times of the message on the wire.
double openmpi_times(unsigned hosts, std::uint64_t bytes) {
  const Cluster cluster = one_switch(hosts);
  const double seconds = native_bcast_s(cluster, 0, bytes, NativeLibrary::openmpi, host_costs_named("openmpi"));
  return seconds / (static_cast<double>(wire_bytes(bytes)) * 8.0 / rate_bps);
}

TEST(NativeBcast, OpenMpiSelectsByRanksAndSize) {
  EXPECT_EQ(openmpi_bcast(2, 8), OpenMpiBcast::basic_linear);
  EXPECT_EQ(openmpi_bcast(7, 1U << 20), OpenMpiBcast::chain);
  EXPECT_EQ(openmpi_bcast(16, 4095), OpenMpiBcast::knomial);
  EXPECT_EQ(openmpi_bcast(16, 4096), OpenMpiBcast::binomial);
  EXPECT_EQ(openmpi_bcast(31, 1U << 20), OpenMpiBcast::scatter_allgather);
  EXPECT_EQ(openmpi_bcast(32, 2047), OpenMpiBcast::binomial);
  EXPECT_EQ(openmpi_bcast(63, 1U << 24), OpenMpiBcast::knomial);
  EXPECT_EQ(openmpi_bcast(64, 1024), OpenMpiBcast::knomial);
  EXPECT_EQ(openmpi_bcast(300, 20000), OpenMpiBcast::split_binary_tree);
  EXPECT_EQ(openmpi_bcast(2047, 1U << 19), OpenMpiBcast::scatter_allgather);
  EXPECT_EQ(openmpi_bcast(100000, 1U << 18), OpenMpiBcast::scatter_allgather);
}

TEST(NativeBcast, OpenMpiOffersAllChildrenALongMessageAtOnce) {
  // The root of the 4-nomial tree of 32 has 7 children, the one with most of its own 6, and of those one 3.
  EXPECT_NEAR(openmpi_times(32, 1U << 20), 7 + 6 + 3, 0.1);
  EXPECT_NEAR(openmpi_times(16, 1U << 19), 4 + 3 + 2 + 1, 0.1);
  EXPECT_NEAR(openmpi_times(8, 1U << 17), 7, 0.1);
}

TEST(NativeBcast, OpenMpiSendsAShortMessageToOneChildAfterAnother) {
  const Cluster cluster = one_switch(32);
  const Placement placement = block_placement(cluster, 1);
  const TreeCosts tree = tree_costs(Paths(cluster), placement, k_nomial_tree(32, 5, 4));
  EXPECT_DOUBLE_EQ(native_bcast_s(cluster, 5, 8192, NativeLibrary::openmpi), tree.seconds(8192, 8192));
  EXPECT_LT(openmpi_times(32, openmpi_eager_bytes), 0.7 * openmpi_times(32, openmpi_eager_bytes + 1));
}

TEST(NativeBcast, MpichScattersLongMessages) {
  const Cluster cluster = one_switch(16);
  const Placement placement = block_placement(cluster, 1);
  const TreeCosts binomial = tree_costs(Paths(cluster), placement, k_nomial_tree(16, 0, 2));
  EXPECT_DOUBLE_EQ(native_bcast_s(cluster, 0, 8192, NativeLibrary::mpich), binomial.seconds(8192, 8192));
  const double wire_s = static_cast<double>(wire_bytes(1U << 20)) * 8.0 / rate_bps;
  EXPECT_NEAR(native_bcast_s(cluster, 0, 1U << 20, NativeLibrary::mpich) / wire_s, 2 * 15.0 / 16.0, 0.1);
}

TEST(NativeBcast, OneRankTakesNoTime) {
  const Cluster cluster = one_switch(2);
  for (const auto library : {NativeLibrary::mpich, NativeLibrary::openmpi}) {
    const Paths paths(cluster);
    const auto times = native_times(paths, Placement{0}, Collective::bcast, 0, library, usual_host_costs());
    EXPECT_EQ(times->seconds(1U << 20), 0.0);
  }
}

TEST(LevelCost, CountsWhatALevelPutsOnATrunk) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: two\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: s[0-1]\nhosts:\n"
      "  - {hosts: 'h[0-3]', switches: 's[0-1]', deal: 2}\nlinks:\n  - {between: [s0, s1], rate: 50Mbit}\n",
      "two.yaml");
  const RoundCost cost = level_cost(Paths(cluster), block_placement(cluster, 1), flat_tree(4, 0));
  EXPECT_EQ(cost.rounds, 1.0);
  EXPECT_DOUBLE_EQ(cost.seconds_per_byte, 2 * 8.0 / 5e7);  // 2 of 3 cross the trunk, which is half as fast
  EXPECT_DOUBLE_EQ(cost.latency_s, 30e-6);
}

}  // namespace
}  // namespace trunkline
