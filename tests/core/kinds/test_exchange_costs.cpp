// SPDX-License-Identifier: Apache-2.0
// Times of exchanges where ranks of a host take turns at its port, beside what simulations took
// (docs/results/hosts.md).
#include <gtest/gtest.h>

#include <string>

#include "algorithms/registry.hpp"
#include "kinds/rounds/costs.hpp"
#include "network/file/cluster_file.hpp"
#include "network/scaled.hpp"

namespace trunkline {
namespace {

Cluster leaf_spine_at(double bps) {
  return scaled(read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/leaf-spine.yaml"), bps);
}

RoundCosts costs_on(const Cluster& cluster, unsigned ranks_a_host, const char* algorithm) {
  const Placement placement = block_placement(cluster, ranks_a_host);
  const Plan plan = lay(Collective::allreduce, algorithm, &cluster, placement, 0);
  return round_costs(Paths(cluster), placement, rounds_of(plan), host_costs_named("mpich"));
}

RoundCosts mixed_radix_costs(const Cluster& cluster, unsigned ranks_a_host) {
  return costs_on(cluster, ranks_a_host, "mixed-radix");
}

TEST(ExchangeCosts, OfManyRanksAHostAreWhatSimulationsTook) {
  struct Simulated {
    double bps;
    std::uint64_t bytes;
    double seconds;
  };
  for (const auto& [bps, bytes, seconds] :
       {Simulated{1e9, 8192, 0.691e-3}, Simulated{1e9, 65536, 1.958e-3}, Simulated{1e10, 8192, 0.495e-3},
        Simulated{1e10, 65536, 0.549e-3}, Simulated{1e11, 65536, 0.494e-3}, Simulated{1e11, 1048576, 1.02e-3}}) {
    const RoundCosts costs = mixed_radix_costs(leaf_spine_at(bps), 16);
    EXPECT_NEAR(costs.seconds(bytes, costs.best_segment(bytes)), seconds, 0.06 * seconds) << bps << " " << bytes;
  }
}

/// Parts one behind the other.
TEST(ExchangeCosts, OfPartsAreWhatSimulationsTook) {
  struct Simulated {
    double bps;
    unsigned ranks_a_host;
    std::uint64_t bytes;
    double seconds;
  };
  for (const auto& [bps, ranks_a_host, bytes, seconds] :
       {Simulated{1e10, 16, 65536, 0.692e-3}, Simulated{1e10, 16, 262144, 0.865e-3},
        Simulated{1e10, 16, 1048576, 2.11e-3}, Simulated{1e10, 8, 1048576, 2.35e-3},
        Simulated{1e11, 16, 1048576, 1.36e-3}, Simulated{1e10, 4, 1048576, 3.33e-3},
        // Beyond windows.
        Simulated{1e10, 16, 4194304, 9.48e-3}, Simulated{1e10, 16, 16777216, 41.3e-3},
        Simulated{1e10, 8, 8388608, 23.4e-3}, Simulated{1e9, 16, 4194304, 76.3e-3},
        Simulated{1e11, 16, 8388608, 7.79e-3}}) {
    const RoundCosts costs = costs_on(leaf_spine_at(bps), ranks_a_host, "staggered-radix");
    EXPECT_NEAR(costs.seconds(bytes, costs.best_segment(bytes)), seconds, 0.15 * seconds)
        << bps << " " << ranks_a_host << " " << bytes;
  }
}

TEST(ExchangeCosts, OfOneRankAHostAreOneRoundAfterAnother) {
  const RoundCosts costs = mixed_radix_costs(leaf_spine_at(1e9), 1);
  EXPECT_EQ(costs.rounds.part_of_alone_hosts(), 1.0);
  constexpr std::uint64_t bytes = 65536;
  double in_turn_s = 0.0;
  for (const RoundCost& one : costs.each) in_turn_s += one.seconds(bytes, one.transfer_bytes(bytes), costs.hosts);
  EXPECT_DOUBLE_EQ(costs.seconds(bytes, bytes), in_turn_s);
  EXPECT_EQ(mixed_radix_costs(leaf_spine_at(1e9), 4).rounds.part_of_alone_hosts(), 0.25);
}

}  // namespace
}  // namespace trunkline
