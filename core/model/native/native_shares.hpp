// SPDX-License-Identifier: Apache-2.0
// Times of the MPI library's own MPI_Allgather and MPI_Reduce_scatter, from the cluster's stated rates.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collective/collective.hpp"
#include "model/native/exchanges.hpp"
#include "model/native/native_bcast.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// By rank number: a ring, and exchanges in pairs whose parts double, or halve. A part that is gathered takes the way
/// back of one that is scattered, so both collectives cost the same where the ranks are a power of two. Else the first
/// ones of a reduce-scatter hand all that they have to others, who go on for them.
struct NativeShareCosts {
  Rank ranks = 0;
  HostCosts hosts = usual_host_costs();
  bool is_known = false;  ///< which of them runs: under MPICH, whose reduce-scatters go round no ring
  bool reduces = false;
  RoundCost ring{};
  std::vector<RoundCost> doubling{};    ///< its rounds, of which each has longer transfers than the one before
  std::optional<RoundCost> pairwise{};  ///< of long reduce-scatters under MPICH
};

/// Whether MPICH gathers shares of `message_bytes` together round a ring; else it doubles the shares that ranks have.
[[nodiscard]] bool mpich_gathers_round_a_ring(Rank ranks, std::uint64_t message_bytes);

/// Whether MPICH scatters `message_bytes` of results pairwise: each rank sends each other one its block.
[[nodiscard]] bool mpich_scatters_pairwise(std::uint64_t message_bytes);

/// `only_bytes`: those alone that count for that size. Time O(ranks * log(ranks) * length of a path).
[[nodiscard]] NativeShareCosts native_share_costs(const Paths& paths, const Placement& placement, Collective collective,
                                                  NativeLibrary library, const HostCosts& hosts = usual_host_costs(),
                                                  std::optional<std::uint64_t> only_bytes = {});

/// Seconds of the one that runs; where that is not known, of the faster one: libraries choose by ranks and size alone,
/// and not always that one, so it is a lower bound of what their choice takes.
[[nodiscard]] double native_share_seconds(const NativeShareCosts& costs, std::uint64_t message_bytes);

}  // namespace trunkline
