// SPDX-License-Identifier: Apache-2.0
// Four hosts at 100 Mbit/s on each of two switches that are 20 ms apart, at half that rate, and a multicast in groups.
#pragma once

#include "algorithms/registry.hpp"
#include "network/file/cluster_file.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"

namespace trunkline::testing {

struct TwoSites {
  explicit TwoSites(Collective collective) : plan(lay(collective, "by-sites-multicast", &cluster, placement, 0)) {}

  Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: two\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: [a, b]\n"
      "hosts:\n  - {hosts: 'h[0-3]', switch: a}\n  - {hosts: 'h[4-7]', switch: b}\n"
      "links:\n  - {between: [a, b], rate: 50Mbit, latency: 20ms}\n",
      "two.yaml");
  Paths paths{cluster};
  Placement placement = block_placement(cluster, 1);
  Plan plan;
};

}  // namespace trunkline::testing
