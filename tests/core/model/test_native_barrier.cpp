// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model/native/exchanges.hpp"
#include "model/native/native_times.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

/// Word of each rank reaches all others.
TEST(Dissemination, ReachesAllInAsFewRoundsAsMayBe) {
  for (Rank ranks = 1; ranks <= 40; ++ranks) {
    const std::vector<Exchange> rounds = dissemination(ranks);
    std::vector<std::vector<bool>> heard(ranks, std::vector<bool>(ranks, false));
    for (Rank rank = 0; rank < ranks; ++rank) heard[rank][rank] = true;
    for (const Exchange& one : rounds) {
      ASSERT_EQ(one.transfers.size(), ranks);
      const auto before = heard;
      for (const auto& [from, to] : one.transfers) {
        for (Rank of = 0; of < ranks; ++of) heard[to][of] = heard[to][of] || before[from][of];
      }
    }
    for (const auto& row : heard) EXPECT_EQ(std::ranges::count(row, true), ranks);
    EXPECT_LT((Rank{1} << rounds.size()) / 2, ranks) << "a round too many";
  }
}

TEST(NativeBarrier, GoesByHostsUnderMpich) {
  const Cluster cluster = testing::one_switch(10);
  const Paths paths(cluster);
  const HostCosts& hosts = host_costs_named("mpich");
  const auto seconds = [&](NativeLibrary library, unsigned ranks_a_host) {
    return native_times(paths, block_placement(cluster, ranks_a_host), Collective::barrier, 0, library, hosts)
        ->seconds(1);
  };
  const double four_rounds_s = seconds(NativeLibrary::mpich, 1);
  EXPECT_DOUBLE_EQ(seconds(NativeLibrary::mpich, 8), four_rounds_s);
  EXPECT_DOUBLE_EQ(seconds(NativeLibrary::openmpi, 1), four_rounds_s);
  EXPECT_GT(seconds(NativeLibrary::openmpi, 8), 1.2 * four_rounds_s);
  const double one_round_s = exchange_cost(paths, {0, 1}, dissemination(2)).seconds(1, 1, hosts);
  EXPECT_NEAR(four_rounds_s, 4.0 * one_round_s, 0.01 * four_rounds_s);
}

}  // namespace
}  // namespace trunkline
