// SPDX-License-Identifier: Apache-2.0
#include "network/long_links.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "networks.hpp"

namespace trunkline {
namespace {

Cluster bundled_for_sites(const std::string& name) {
  return read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/" + name + ".yaml");
}

TEST(LongLinks, DivideBundledClustersThatHaveSites) {
  for (const char* const name : {"paper-1", "paper-5", "cyclic", "leaf-spine", "8w", "now"}) {
    EXPECT_EQ(sites_of(bundled_for_sites(name)).count, 1U) << name;
    EXPECT_FALSE(bundled_for_sites(name).has_sites()) << name;
  }
  EXPECT_EQ(sites_of(bundled_for_sites("two-site")).count, 2U);
  EXPECT_EQ(sites_of(bundled_for_sites("four-site")).count, 4U);
  EXPECT_EQ(sites_of(bundled_for_sites("4w+8w")).count, 3U);  // one of them the gateway, without hosts
  EXPECT_TRUE(bundled_for_sites("two-site").has_sites());
}

/// Two switches, latencies of hosts' links and of the one between in microseconds.
Cluster joined_by(const std::string& own, const std::string& between) {
  return parse_cluster(
      "trunkline: cluster/1\nname: two\ndefaults: {rate: 1Gbit}\nswitches: [s0, s1]\nhosts:\n"
      "  - {hosts: 'h[0-3]', switch: s0, latency: " +
          own + "us}\n  - {hosts: 'h[4-6]', switch: s1, latency: " + own +
          "us}\nlinks:\n  - {between: [s0, s1], latency: " + between + "us}\n",
      "two.yaml");
}

TEST(LongLinks, AreFarLongerThanHostsOwnAndThanAMachineRoom) {
  EXPECT_TRUE(joined_by("10", "100").has_sites());
  EXPECT_FALSE(joined_by("10", "99").has_sites());   // no machine room is so large, but some software is so slow
  EXPECT_FALSE(joined_by("50", "499").has_sites());  // not ten times as long
  EXPECT_TRUE(joined_by("50", "500").has_sites());
  EXPECT_FALSE(joined_by("1000", "1000").has_sites());
}

TEST(LongLinks, LieBetweenRanksOfSomePlacementsAlone) {
  const Cluster cluster = bundled_for_sites("four-site");
  EXPECT_FALSE(spans_sites(cluster, {0, 7, 3}));
  EXPECT_TRUE(spans_sites(cluster, {0, 8}));
  EXPECT_FALSE(spans_sites(bundled_for_sites("cyclic"), {0, 1, 2}));
}

/// Two nodes are on one site where the only path between them has no long link.
RC_GTEST_PROP(LongLinks, AreOnTheWayBetweenSitesAlone, ()) {
  const Cluster cluster(testing::with_long_links(testing::random_parts(8, 10)));
  const std::vector<bool> is_long = long_links_of(cluster);
  const Sites sites = sites_of(cluster);
  std::set<SiteId> seen;
  for (NodeId u = 0; u < cluster.nodes().size(); ++u) {
    seen.insert(sites.of_node[u]);
    for (NodeId v = 0; v < cluster.nodes().size(); ++v) {
      bool crossed = false;
      for (const ChannelId channel : cluster.path(u, v)) crossed = crossed || is_long[channel / 2];
      RC_ASSERT((sites.of_node[u] != sites.of_node[v]) == crossed);
    }
  }
  RC_ASSERT(seen.size() == sites.count);
  RC_ASSERT(cluster.has_sites() == (sites.count > 1));
}

}  // namespace
}  // namespace trunkline
