// SPDX-License-Identifier: Apache-2.0
// The network as a root sees it: regions within regions, each behind one link.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/cluster.hpp"
#include "network/placement.hpp"

namespace trunkline {

using RegionId = std::uint32_t;  ///< index into Regions::all

/// A switch with everything beyond it, or a host with several ranks: one link leads in, the same one leads out. A tree
/// that enters each region from one rank and leaves it from one has no contention.
struct Region {
  RegionId parent = 0;
  std::vector<RegionId> parts;  ///< regions directly inside
  std::vector<Rank> singles;    ///< ranks directly inside: alone on their host, or all those of a host
  std::uint64_t ranks = 0;      ///< in all
};

/// Regions without ranks are left out, and a switch with nothing but one region behind it is that region. Where links
/// have room for several senders, the ranks behind one may be several regions, or part of the one around it.
struct Regions {
  std::vector<Region> all;        ///< 0 is the whole; a region comes before its parts
  std::vector<RegionId> of_rank;  ///< innermost region of each rank
  Rank root = 0;                  ///< first single of its region, which is the whole or its first part
};

/// `capacities` is by link, as of capacities_of() (network/capacity.hpp); none: each link has room for one sender. Time
/// O(ranks + nodes), and for each link of more than one O(capacity) for each rank directly behind it. Throws
/// std::invalid_argument where `root` or a host of `placement` is out of range, or capacities are not as many as links.
[[nodiscard]] Regions regions_from(const Cluster& cluster, const Placement& placement, Rank root,
                                   std::span<const std::uint32_t> capacities = {});

}  // namespace trunkline
