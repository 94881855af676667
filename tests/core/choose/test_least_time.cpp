// SPDX-License-Identifier: Apache-2.0
#include "choose/least_time.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "algorithms/registry.hpp"
#include "model/transfer/wire.hpp"
#include "network/file/cluster_file.hpp"
#include "networks.hpp"
#include "plan/costs.hpp"

namespace trunkline {
namespace {

Cluster three_and_a_slow_one() {
  return parse_cluster(
      "trunkline: cluster/1\nname: mixed\ndefaults: {rate: 80Mbit, latency: 10us}\nswitches: [s0]\n"
      "hosts:\n  - {hosts: 'h[0-2]', switch: s0}\n  - {hosts: h3, switch: s0, rate: 8Mbit}\n",
      "mixed.yaml");
}

double least(const Cluster& cluster, const Placement& placement, Collective collective) {
  return least_byte_s(Paths(cluster), placement, collective);
}

TEST(LeastTime, IsWhatLinksCarry) {
  const Cluster cluster = three_and_a_slow_one();  // 0.1 us a byte, and 1 us
  const Placement fast{0, 1, 2};
  EXPECT_DOUBLE_EQ(least(cluster, fast, Collective::bcast), 1e-7);
  EXPECT_DOUBLE_EQ(least(cluster, fast, Collective::reduce), 1e-7);
  EXPECT_DOUBLE_EQ(least(cluster, fast, Collective::allreduce), 4.0 / 3.0 * 1e-7);
  EXPECT_DOUBLE_EQ(least(cluster, fast, Collective::allgather), 2.0 / 3.0 * 1e-7);
  EXPECT_DOUBLE_EQ(least(cluster, {0, 0, 1}, Collective::reduce_scatter), 2.0 / 3.0 * 1e-7);
  const Placement all{0, 1, 2, 3};
  EXPECT_DOUBLE_EQ(least(cluster, all, Collective::bcast), 1e-6);
  EXPECT_DOUBLE_EQ(least(cluster, all, Collective::allreduce), 1e-6);  // 6 / 31 us by all links together
  EXPECT_EQ(least(cluster, {2, 2, 2}, Collective::allreduce), 0.0);
}

TEST(LeastTime, KnowsLinksSideBySide) {
  const Cluster bonds = parse_cluster(
      "trunkline: cluster/1\nname: bonds\ndefaults: {rate: 2x80Mbit, latency: 10us}\nswitches: [s0]\n"
      "hosts:\n  - {hosts: 'h[0-2]', switch: s0}\n",
      "bonds.yaml");
  EXPECT_DOUBLE_EQ(least(bonds, {0, 1, 2}, Collective::bcast), 0.5e-7);
  EXPECT_DOUBLE_EQ(least(bonds, {0, 1, 2}, Collective::allreduce), 2.0 / 3.0 * 1e-7);
}

RC_GTEST_PROP(LeastTime, NoPlanIsPredictedBelowIt, ()) {
  const Cluster cluster(testing::random_parts(6, 12));
  const Placement placement = testing::random_placement(cluster, 16);
  const Paths paths(cluster);
  const auto bytes = std::uint64_t{1} << *rc::gen::inRange(16, 26);
  const HostCosts hosts = host_costs_named("free");
  for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::allreduce,
                                      Collective::reduce_scatter, Collective::allgather}) {
    const double least_s = least_byte_s(paths, placement, collective) * static_cast<double>(bytes);
    for (const std::string_view name : {"linear", "two-tree", "binary", "ring"}) {
      if (!find_algorithm(collective, name)) continue;
      const Costs costs =
          costs_of(cluster, placement, lay(collective, name, &cluster, placement, 0), collective, hosts);
      for (const std::uint64_t segment : segment_sizes()) {
        RC_ASSERT(costs->seconds(bytes, segment) >= 0.999 * least_s);
      }
    }
  }
}

TEST(LeastTime, IsTheDelayAndTheSlowestRateOfTheLongestWay) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/four-site.yaml");
  const Paths paths(cluster);
  const auto crossing = [&](Collective collective, const Placement& placement, Rank root) {
    return least_crossing_s(paths, placement, collective, root, 100'000);
  };
  constexpr double bytes_s = 106'340.0 * 8.0 / 50e6;  // 70 frames on the slowest link
  EXPECT_EQ(wire_bytes(100'000), 106'340U);
  EXPECT_NEAR(crossing(Collective::bcast, {0, 8, 24}, 0), 50.02e-3 + bytes_s, 1e-9);
  EXPECT_NEAR(crossing(Collective::bcast, {0, 8, 24}, 1), 51.02e-3 + bytes_s, 1e-9);
  EXPECT_NEAR(crossing(Collective::reduce, {0, 8}, 0), 1.02e-3 + bytes_s, 1e-9);
  EXPECT_NEAR(crossing(Collective::allreduce, {0, 8, 24}, 0), 51.02e-3 + bytes_s, 1e-9);
  EXPECT_NEAR(crossing(Collective::bcast, {0, 1}, 0), 20e-6 + bytes_s / 2.0, 1e-9);
  EXPECT_EQ(crossing(Collective::allreduce, {3, 3}, 0), 0.0);
}

TEST(LeastTime, OfSharesIsWhatTheFullestLinkCarries) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/four-site.yaml");
  const Paths paths(cluster);
  const auto crossing = [&](Collective collective, const Placement& placement, std::uint64_t bytes) {
    return least_crossing_s(paths, placement, collective, 0, bytes);
  };
  // Two shares of 100 000 bytes over the link of 40 ms, whichever way.
  const double two_s = 40e-3 + least_wire_bytes(200'000) * 8.0 / 50e6;
  EXPECT_NEAR(crossing(Collective::allgather, {0, 8, 24}, 300'000), two_s, 1e-9);
  EXPECT_NEAR(crossing(Collective::allgather, {0, 24, 25}, 300'000), two_s, 1e-9);
  EXPECT_NEAR(crossing(Collective::reduce_scatter_block, {0, 24, 25}, 300'000), two_s, 1e-9);
  // Short ones: the longest way, with one share.
  EXPECT_NEAR(crossing(Collective::allgather, {0, 8, 24}, 300),
              51.02e-3 + static_cast<double>(wire_bytes(100)) * 8.0 / 50e6, 1e-9);
  EXPECT_EQ(crossing(Collective::allgather, {3, 3}, 300), 0.0);
}

TEST(LeastTime, OfSharesKnowsDirections) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: x\ndefaults: {rate: 1Gbit, latency: 10us}\nswitches: [s0, s1]\n"
      "hosts: [{hosts: a, switch: s0}, {hosts: 'b[1-3]', switch: s1}]\n"
      "links:\n  - {between: [s0, s1], rate: 100Mbit, latency: 5ms, back: {rate: 10Mbit}}\n",
      "x.yaml");
  const Placement all{0, 1, 2, 3};
  const auto crossing = [&](Collective collective) {
    return least_crossing_s(Paths(cluster), all, collective, 0, 400'000);
  };
  // Of a gather three shares go back to a, of results one.
  EXPECT_NEAR(crossing(Collective::allgather), 5e-3 + least_wire_bytes(300'000) * 8.0 / 10e6, 1e-9);
  EXPECT_NEAR(crossing(Collective::reduce_scatter_block),
              5.02e-3 + static_cast<double>(wire_bytes(100'000)) * 8.0 / 10e6, 1e-9);
}

/// Pieces of several shares have frames in common: a gather of 7 shares was predicted below the bound by 3e-5.
TEST(LeastTime, OfSharesTakesThemForOneStream) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: x\ndefaults: {rate: 100Mbit, latency: 0us}\nswitches: [s0, s1]\n"
      "hosts: [{hosts: a, switch: s0}, {hosts: b, switch: s1}]\nlinks: [{between: [s0, s1], latency: 5ms}]\n",
      "x.yaml");
  const Placement placement{1, 0, 1, 1, 1, 1, 1};
  const Costs costs =
      costs_of(cluster, placement, lay(Collective::allgather, "ring", &cluster, placement, 0), Collective::allgather);
  for (std::uint64_t bytes = 7; bytes < 100'000; bytes += 7 * 97) {
    EXPECT_GE(costs->seconds(bytes, costs->best_segment(bytes)),
              least_crossing_s(Paths(cluster), placement, Collective::allgather, 0, bytes))
        << bytes;
  }
}

/// Nor is any plan predicted to be: hosts and switches only add to it.
RC_GTEST_PROP(LeastTime, OfTheLongestWayIsBelowAllPlans, ()) {
  const Cluster cluster(testing::with_long_links(testing::random_parts(6, 16)));
  const Placement placement = testing::random_placement(cluster, 20);
  const Rank root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const Collective collective = *rc::gen::element(Collective::bcast, Collective::reduce, Collective::allreduce,
                                                  Collective::allgather, Collective::reduce_scatter_block,
                                                  Collective::alltoall, Collective::gather, Collective::scatter);
  const std::string name =
      facts_of(collective).goes_by_pairs()        ? *rc::gen::element<std::string>("ring", "by-hosts")
      : facts_of(collective).has_shares_at_root() ? "binomial"
      : facts_of(collective).goes_by_shares()
          ? "ring"
          : *rc::gen::element<std::string>("by-sites-binary", "by-sites-8-ary", "linear", "wave", "flat");
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  const Costs costs = costs_of(cluster, placement, lay(collective, name, &cluster, placement, root), collective);
  RC_ASSERT(costs->seconds(bytes, costs->best_segment(bytes)) >=
            (1.0 - 1e-9) * least_crossing_s(Paths(cluster), placement, collective, root, bytes));
}

}  // namespace
}  // namespace trunkline
