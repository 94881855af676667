// SPDX-License-Identifier: Apache-2.0
// The network as a root sees it: regions within regions, each behind one link.
#pragma once

#include <cstdint>
#include <vector>

#include "network/cluster.hpp"
#include "network/placement.hpp"

namespace trunkline {

using RegionId = std::uint32_t;  ///< index into Regions::all

/// A switch with everything beyond it, or a host with several ranks: one link leads in, the same one leads out.
struct Region {
  RegionId parent = 0;
  std::vector<RegionId> parts;  ///< regions directly inside
  std::vector<Rank> singles;    ///< ranks directly inside: alone on their host, or all those of a host
  std::uint64_t ranks = 0;      ///< in all
};

/// Regions without ranks are left out, and a switch with nothing but one region behind it is that region.
struct Regions {
  std::vector<Region> all;        ///< 0 is the whole; a region comes before its parts
  std::vector<RegionId> of_rank;  ///< innermost region of each rank
  Rank root = 0;                  ///< first single of its region, which is the whole or its first part
};

/// Time O(ranks + nodes). Throws std::invalid_argument where `root` or a host of `placement` is out of range.
[[nodiscard]] Regions regions_from(const Cluster& cluster, const Placement& placement, Rank root);

}  // namespace trunkline
