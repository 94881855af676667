// SPDX-License-Identifier: Apache-2.0
// What tests of the choice choose on.
#pragma once

#include <string>

#include "choose/alternatives.hpp"
#include "network/cluster.hpp"
#include "network/file/cluster_file.hpp"
#include "network/placement.hpp"

namespace trunkline::testing {

/// 32 hosts of a line of four switches, dealt so many at a time.
inline Cluster line_of_switches(const std::string& deal, const std::string& rate = "100Mbit") {
  return parse_cluster(
      "trunkline: cluster/1\nname: test\ndefaults: {rate: " + rate +
          ", latency: 10us}\nswitches: s[0-3]\nhosts:\n  - {hosts: 'h[0-31]', switches: 's[0-3]', deal: " + deal +
          "}\nlinks:\n  - between: [s0, s1]\n  - between: [s1, s2]\n  - between: [s2, s3]\n",
      "test.yaml");
}

/// Where nothing is multicast.
inline Alternatives facts_of(const Cluster& cluster, NativeLibrary native = NativeLibrary::mpich) {
  return alternatives_of(Collective::bcast, cluster, block_placement(cluster, 1), 0, native, usual_host_costs(), false);
}

}  // namespace trunkline::testing
