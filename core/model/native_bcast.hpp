// SPDX-License-Identifier: Apache-2.0
// Predicted times of the broadcasts that MPICH and Open MPI run by themselves, on the network they run on.
#pragma once

#include <cstdint>

#include "cluster/cluster.hpp"
#include "model/round_cost.hpp"
#include "model/tree_costs.hpp"
#include "plan/placement.hpp"

namespace trunkline {

/// Whose native algorithms a prediction is about.
enum class NativeLibrary : std::uint8_t { mpich, openmpi };

/// The native algorithms on one communicator and root.
struct NativeCosts {
  Rank ranks = 0;
  TreeCosts binomial;
  RoundCost scatter_doubling_allgather;  ///< meaningful where `ranks` is a power of two
  RoundCost scatter_ring_allgather;
};

/// Lays the algorithms over the cluster by rank number, as the libraries do, and adds up each round's loads.
/// Time O(ranks * log(ranks) * length of a path).
[[nodiscard]] NativeCosts native_costs(const Cluster& cluster, const Placement& placement, Rank root);

/// Seconds of the algorithm that the library selects for this size. MPICH's rule: binomial up to 12 KiB or below 8
/// ranks; scatter and allgather above, by recursive doubling up to 512 KiB on powers of two, by a ring else. Open
/// MPI's tables differ from release to release, and none beats the better of binomial and scatter with ring
/// allgather by much: that is what is taken.
[[nodiscard]] double native_bcast_seconds(const NativeCosts& costs, std::uint64_t message_bytes, NativeLibrary library);

}  // namespace trunkline
