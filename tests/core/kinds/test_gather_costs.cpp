// SPDX-License-Identifier: Apache-2.0
// Allgathers along one tree: laid over sites, proven, refused where there are several trees, and their times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "algorithms/registry.hpp"
#include "choose/least_time.hpp"
#include "kinds/trees/gather_costs.hpp"
#include "kinds/trees/trees.hpp"
#include "model/transfer/wire.hpp"
#include "network/file/cluster_file.hpp"
#include "network/long_links.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"
#include "plan_file/plan_file.hpp"

namespace trunkline {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct AlongATree {
  Cluster cluster{testing::with_long_links(testing::random_parts(7, 24))};
  Placement placement = testing::random_placement(cluster, 30);
  Rank root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  std::string name = *rc::gen::element<std::string>("by-sites-linear", "by-sites-binary", "by-sites-4-ary");
  Plan plan = lay(Collective::allgather, name, &cluster, placement, root);
  const Tree& tree = trees_of(plan).front();
  Paths paths{cluster};

  [[nodiscard]] NodeId node(Rank rank) const { return cluster.hosts()[placement[rank]]; }
  [[nodiscard]] double latency_s(Rank from, Rank to) const {
    return paths.latency_s(node(from), node(to), paths.meeting(node(from), node(to)));
  }
  [[nodiscard]] std::vector<Rank> neighbours(Rank rank) const {
    std::vector<Rank> all = tree.children[rank];
    if (rank != tree.root) all.push_back(tree.parent[rank]);
    return all;
  }

  /// Calls that with every hop that the share of `rank` takes, and when it is there by latencies alone.
  template <class Use>
  void follow(Rank rank, const Use& use) const {
    struct There {
      Rank at;
      Rank from;
      double latency_s;
    };
    std::vector<There> open{{rank, no_rank, 0.0}};
    while (!open.empty()) {
      const There one = open.back();
      open.pop_back();
      for (const Rank next : neighbours(one.at)) {
        if (next == one.from) continue;
        open.push_back({next, one.at, one.latency_s + latency_s(one.at, next)});
        use(one.at, next, open.back().latency_s);
      }
    }
  }
};

RC_GTEST_PROP(GatherAlongATree, EveryShareComesToAllRanksOnce, ()) {
  const AlongATree on;
  check_plan(on.plan, Collective::allgather);
  for (Rank rank = 0; rank < on.placement.size(); ++rank) {
    std::vector<unsigned> times(on.placement.size(), 0);
    on.follow(rank, [&](Rank /*from*/, Rank to, double /*latency_s*/) { ++times[to]; });
    for (Rank other = 0; other < times.size(); ++other) RC_ASSERT(times[other] == (other == rank ? 0U : 1U));
  }
}

/// Hosts that cost nothing: short shares take the longest way, and long ones what the fullest channel takes.
RC_GTEST_PROP(GatherAlongATree, TakesTheLongestWayAndTheFullestChannel, ()) {
  const AlongATree on;
  const HostCosts& free = host_costs_named("free");
  const Costs costs = costs_of(on.paths, on.placement, on.plan, Collective::allgather, free);
  std::map<ChannelId, double> shares;
  double longest_s = 0.0;
  for (Rank rank = 0; rank < on.placement.size(); ++rank) {
    on.follow(rank, [&](Rank from, Rank to, double latency_s) {
      longest_s = std::max(longest_s, latency_s);
      for (const ChannelId channel : on.cluster.path(on.node(from), on.node(to))) shares[channel] += 1.0;
    });
  }
  const auto ranks = static_cast<std::uint64_t>(on.placement.size());
  constexpr std::uint64_t longest_segment = std::uint64_t{1} << 22;
  double ways_byte_s = 0.0;
  for (const std::uint64_t share : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 20}) {
    double fullest_s = 0.0;
    double fullest_link_s = 0.0;  // if all flows of a channel went by one of its links
    for (const auto& [channel, count] : shares) {
      fullest_s = std::max(fullest_s, count * static_cast<double>(wire_bytes(share)) * on.paths.spread_byte_s(channel));
      fullest_link_s =
          std::max(fullest_link_s, count * static_cast<double>(wire_bytes(share + 8)) * on.paths.byte_s(channel));
      ways_byte_s += on.paths.byte_s(channel);
    }
    const double seconds = costs->seconds(ranks * share, longest_segment);
    RC_ASSERT(seconds >= 0.999 * std::max(longest_s, fullest_s));
    // Each of its hops stores a share before it hands it on, and each share may wait for a window.
    const double stored_s = ways_byte_s * static_cast<double>(wire_bytes(share + 8));
    const double waited_s = 2.0 * longest_s * static_cast<double>(ranks);
    RC_ASSERT(seconds <= 1.001 * (longest_s + fullest_link_s + stored_s + waited_s) + 1e-9);
  }
}

RC_GTEST_PROP(GatherAlongATree, IsNeverPredictedBelowTheBound, ()) {
  const AlongATree on;
  if (on.placement.size() < 2) return;
  const Costs costs = costs_of(on.paths, on.placement, on.plan, Collective::allgather, host_costs_named("free"));
  for (const std::uint64_t share : {1, 1000, 100'000}) {
    const std::uint64_t bytes = share * on.placement.size();
    const double least_s = least_crossing_s(on.paths, on.placement, Collective::allgather, on.root, bytes);
    RC_ASSERT(costs->seconds(bytes, costs->best_segment(bytes)) >= 0.999 * least_s);
  }
}

TEST(GatherAlongATree, IsOneTree) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: c\ndefaults: {rate: 100Mbit}\nswitches: [s]\nhosts: [{hosts: \"h[0-2]\", switch: "
      "s}]\n",
      "c");
  const Trees two = lay_trees(Collective::bcast, "two-tree", &cluster, {0, 1, 2}, 0);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_THAT([&] { check_plan(plan_of(two), Collective::allgather); },
              ThrowsMessage<InvalidPlan>(HasSubstr("there are 2 trees; allgather goes along one")));
}

TEST(GatherAlongATree, IsReadWithOneTreeAlone) {
  const std::string head = "trunkline: plan/1\ncollective: allgather\nshape: custom\nranks: 3\nroot: 0\n";
  EXPECT_EQ(parse_plan(head + "line: [0, 2, 1]\n", "p").plan.ranks(), 3U);
  EXPECT_THAT([&] { static_cast<void>(parse_plan(head + "trees: [{line: [0, 1, 2]}, {line: [0, 2, 1]}]\n", "p")); },
              ThrowsMessage<FaultyFile>(HasSubstr("there are 2 trees; allgather goes along one; give one")));
  EXPECT_THAT([&] { static_cast<void>(parse_plan(head + "line: [0, 1, 2]\nexchange: 1\n", "p")); },
              ThrowsMessage<FaultyFile>(HasSubstr("shares of allgather have no root")));
}

TEST(GatherAlongATree, IsLaidByTreesOverSitesAlone) {
  EXPECT_TRUE(find_algorithm(Collective::allgather, "by-sites-linear").has_value());
  EXPECT_TRUE(find_algorithm(Collective::allgatherv, "by-sites-8-ary").has_value());
  EXPECT_FALSE(find_algorithm(Collective::allgather, "two-tree").has_value());
  EXPECT_FALSE(find_algorithm(Collective::reduce_scatter, "by-sites-linear").has_value());
}

}  // namespace
}  // namespace trunkline
