// SPDX-License-Identifier: Apache-2.0
// What laying low trees takes, counted, so that it does not depend on the machine: planning has to stay as fast over
// thousands of switches in a row as over one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>

#include "algorithms/trees/linear.hpp"
#include "algorithms/trees/regions/interval_tree.hpp"
#include "algorithms/trees/regions/region_timetable.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

enum class Spine : std::uint8_t { row, caterpillar, broom };

/// Switches with one host each: in a row; half of them in a row and one beside each; half in a row, others at its end.
Cluster long_cluster(Spine shape, NodeId switches) {
  Cluster::Parts parts{.name = "long", .description = "", .nodes = {}, .links = {}};
  const auto link = [&](NodeId a, NodeId b) {
    parts.links.push_back({.a = a, .b = b, .rate_bps = 1e9, .latency_s = 1e-6});
  };
  for (NodeId id = 0; id < switches; ++id) {
    parts.nodes.push_back({.name = "s" + std::to_string(id), .kind = NodeKind::network_switch});
    const bool beside = shape != Spine::row && id >= switches / 2;
    const NodeId before = shape == Spine::broom ? switches / 2 - 1 : id - switches / 2;
    if (id > 0) link(id, beside ? before : id - 1);
  }
  for (NodeId host = 0; host < switches; ++host) {
    parts.nodes.push_back({.name = "h" + std::to_string(host), .kind = NodeKind::host});
    link(switches + host, host);
  }
  return Cluster(std::move(parts));
}

double runs_a_region(Spine shape, NodeId switches, unsigned k) {
  const Cluster cluster = long_cluster(shape, switches);
  const Regions regions = regions_from(cluster, block_placement(cluster, 1), switches / 2);
  return static_cast<double>(RegionTimetables(regions, k).runs()) / static_cast<double>(regions.all.size());
}

TEST(PlanningWork, RegionsAreFilledAFewTimesHoweverManyThereAre) {
  for (const Spine shape : {Spine::row, Spine::caterpillar, Spine::broom}) {
    for (const unsigned k : {2U, 3U}) {
      const double few = runs_a_region(shape, 1024, k);
      const double many = runs_a_region(shape, 4096, k);
      EXPECT_LT(many, 1.3 * few) << "k = " << k;
      EXPECT_LT(many, 40.0) << "k = " << k;
    }
  }
}

RC_GTEST_PROP(EntryChains, HoldWhatNoRegionStandsInTheWayOf, ()) {
  const Cluster cluster(testing::random_parts(15, 30));
  const Placement placement = testing::random_placement(cluster, 40);
  const Regions regions = regions_from(cluster, placement, 0);
  const std::vector<Rank> order = depth_first_order(cluster, placement, 0);
  const Intervals intervals(regions, order);
  RC_ASSERT(intervals.in_a_row(regions));
  const EntryChains chains(regions, order, intervals);
  const auto holds = [&](RegionId region, Place at) {
    return intervals.first[region] <= at && at <= intervals.last[region];
  };
  for (Place from = 0; from < order.size(); ++from) {
    Place on_chain = from + 1;
    for (Place to = from + 1; to < order.size(); ++to) {
      bool open = true;  // each region of `to` is one of `from` as well or begins there
      for (RegionId region = 0; region < regions.all.size(); ++region) {
        if (holds(region, to) && !holds(region, from) && intervals.first[region] != to) open = false;
      }
      RC_ASSERT(open == (on_chain == to));
      if (!open) continue;
      RC_ASSERT(holds(chains.around[to], from));
      RC_ASSERT(holds(chains.around[to], to));
      on_chain = chains.next[to];
    }
    RC_ASSERT(on_chain == order.size());
  }
}

TEST(EntryChains, AreCrossedInFewJumps) {
  for (const Spine shape : {Spine::row, Spine::caterpillar, Spine::broom}) {
    constexpr NodeId switches = 4096;
    const Cluster cluster = long_cluster(shape, switches);
    const Placement placement = block_placement(cluster, 1);
    const Regions regions = regions_from(cluster, placement, switches / 2);
    const std::vector<Rank> order = depth_first_order(cluster, placement, switches / 2);
    const EntryChains chains(regions, order, Intervals(regions, order));
    for (const Place bound : {100U, 1000U, 2000U, 3000U, 4095U}) {
      for (Place from = 0; from < bound; ++from) {
        unsigned steps = 0;
        for (Place at = from; at <= bound; ++steps) at = chains.jump[at] <= bound ? chains.jump[at] : chains.next[at];
        ASSERT_LE(steps, 3 * std::bit_width(switches)) << from << " to " << bound;
      }
    }
  }
}

}  // namespace
}  // namespace trunkline
