// SPDX-License-Identifier: Apache-2.0
// Times of exchanges where ranks of a host take turns at its port, beside what simulations took
// (docs/results/hosts.md).
#include <gtest/gtest.h>

#include <string>

#include "algorithms/registry.hpp"
#include "kinds/rounds/costs.hpp"
#include "network/file/cluster_file.hpp"
#include "network/with_speeds.hpp"
#include "replay/replay.hpp"

namespace trunkline {
namespace {

Cluster leaf_spine_at(double bps) {
  return scaled(read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/leaf-spine.yaml"), bps);
}

/// An allreduce on it, its ranks in rows.
struct On {
  Cluster cluster;
  Placement placement;
  Plan plan;
  Paths paths;

  On(double bps, unsigned ranks_a_host, const char* algorithm)
      : cluster(leaf_spine_at(bps)),
        placement(block_placement(cluster, ranks_a_host)),
        plan(lay(Collective::allreduce, algorithm, &cluster, placement, 0)),
        paths(cluster) {}

  [[nodiscard]] RoundCosts costs() const {
    return round_costs(paths, placement, rounds_of(plan), host_costs_named("mpich"));
  }
  [[nodiscard]] double replayed_s(std::uint64_t bytes) const {
    return replayed(paths, placement, plan, Collective::allreduce, host_costs_named("mpich"), bytes,
                    costs().best_segment(bytes))
        .seconds;
  }
};

TEST(ExchangeCosts, OfManyRanksAHostAreWhatSimulationsTook) {
  struct Simulated {
    double bps;
    std::uint64_t bytes;
    double seconds;
  };
  for (const auto& [bps, bytes, seconds] :
       {Simulated{1e9, 8192, 0.691e-3}, Simulated{1e9, 65536, 1.958e-3}, Simulated{1e10, 8192, 0.495e-3},
        Simulated{1e10, 65536, 0.549e-3}, Simulated{1e11, 65536, 0.494e-3}, Simulated{1e11, 1048576, 1.02e-3}}) {
    EXPECT_NEAR(On(bps, 16, "mixed-radix").replayed_s(bytes), seconds, 0.06 * seconds) << bps << " " << bytes;
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
        Simulated{1e11, 16, 1048576, 1.36e-3},
        // Beyond windows.
        Simulated{1e10, 16, 4194304, 9.48e-3}}) {
    EXPECT_NEAR(On(bps, ranks_a_host, "staggered-radix").replayed_s(bytes), seconds, 0.15 * seconds)
        << bps << " " << ranks_a_host << " " << bytes;
  }
}

/// By the formula, which takes no replay.
TEST(ExchangeCosts, AreOneRoundAfterAnother) {
  const RoundCosts costs = On(1e9, 1, "mixed-radix").costs();
  constexpr std::uint64_t bytes = 65536;
  double in_turn_s = 0.0;
  for (const RoundCost& one : costs.each) in_turn_s += one.seconds(bytes, one.transfer_bytes(bytes), costs.hosts);
  EXPECT_DOUBLE_EQ(costs.seconds(bytes, bytes), in_turn_s);
}

/// The ways of one part, and the links for all.
TEST(ExchangeCosts, OfPartsArePipelines) {
  const RoundCosts costs = On(1e10, 4, "staggered-radix").costs();
  ASSERT_EQ(costs.parts, 4U);
  constexpr std::uint64_t bytes = 1048576;
  constexpr std::uint64_t piece = 16384;
  const double links_s = costs.at_once.links_s(bytes, piece, costs.hosts);
  EXPECT_GT(costs.seconds(bytes, piece), links_s);
  EXPECT_LT(costs.seconds(bytes, piece), 2.0 * links_s);
}

}  // namespace
}  // namespace trunkline
