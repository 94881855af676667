// SPDX-License-Identifier: Apache-2.0
#include "network/with_speeds.hpp"

#include <gtest/gtest.h>

#include "network/file/cluster_file.hpp"

namespace trunkline {
namespace {

TEST(Scaled, KeepsProportionsNamesAndLatencies) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: two\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: [a, b]\nhosts:\n"
      "  - {hosts: 'h[0-1]', switch: a}\n  - {hosts: h2, switch: b}\nlinks:\n  - {between: [a, b], rate: 1Gbit}\n",
      "two.yaml");
  const Cluster slow = scaled(cluster, 2e7);
  ASSERT_EQ(slow.links().size(), cluster.links().size());
  for (std::size_t link = 0; link < slow.links().size(); ++link) {
    EXPECT_DOUBLE_EQ(slow.links()[link].rate_bps, cluster.links()[link].rate_bps / 50);
    EXPECT_DOUBLE_EQ(slow.links()[link].latency_s, cluster.links()[link].latency_s);
  }
  EXPECT_EQ(slow.hosts().size(), 3U);
  EXPECT_EQ(slow.name(), "two");
  EXPECT_NE(slow.fingerprint(), cluster.fingerprint());
  EXPECT_EQ(scaled(cluster, 1e9).fingerprint(), cluster.fingerprint());
}

TEST(Scaled, MakesRoundRatesOfRoundOnes) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: two\ndefaults: {rate: 1Gbit, latency: 10us}\nswitches: [a, b]\nhosts:\n"
      "  - {hosts: h0, switch: a}\n  - {hosts: h1, switch: b, rate: 100Mbit}\nlinks:\n"
      "  - {between: [a, b], rate: 10Gbit}\n",
      "two.yaml");
  for (const double fastest : {3e6, 6e6, 1.2e7, 2e7}) {
    const Cluster slow = scaled(cluster, fastest);
    EXPECT_EQ(slow.links()[0].rate_bps, fastest / 10);
    EXPECT_EQ(slow.links()[1].rate_bps, fastest / 100);
    EXPECT_EQ(slow.links()[2].rate_bps, fastest);
  }
}

TEST(Scaled, RefusesRatesThatAreNone) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: one\ndefaults: {rate: 1Mbit, latency: 1us}\nswitches: s\nhosts:\n"
      "  - {hosts: h, switch: s}\n",
      "one.yaml");
  for (const double rate : {0.0, -1.0, 0.0 / 0.0, 1.0 / 0.0}) {
    EXPECT_THROW(static_cast<void>(scaled(cluster, rate)), std::invalid_argument);
  }
}

}  // namespace
}  // namespace trunkline
