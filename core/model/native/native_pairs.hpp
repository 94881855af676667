// SPDX-License-Identifier: Apache-2.0
// Times of the MPI library's own MPI_Alltoall, from the cluster's stated rates.
#pragma once

#include <cstdint>
#include <vector>

#include "kinds/rounds/pair_costs.hpp"
#include "model/native/native_bcast.hpp"
#include "model/transfer/host_costs.hpp"
#include "model/transfer/round_cost.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// Blocks straight on, by rank number; and by Bruck's rounds, of which each hands on half of all blocks. What queues of
/// switches lose where many messages meet is left out, so a call takes this long at least.
struct NativePairCosts {
  bool is_known = false;  ///< which of the two runs: under MPICH
  Rank ranks = 0;
  HostCosts hosts = usual_host_costs();
  PairCosts straight{};
  std::vector<RoundCost> bruck{};
};

/// Whether MPICH goes by Bruck's rounds.
[[nodiscard]] bool mpich_exchanges_by_bruck(Rank ranks, std::uint64_t block_bytes);

/// Time O(ranks^2 * length of a path).
[[nodiscard]] NativePairCosts native_pair_costs(const Paths& paths, const Placement& placement, NativeLibrary library,
                                                const HostCosts& hosts = usual_host_costs());

/// Seconds of the one that runs for blocks of that many bytes; where that is not known, of the faster one.
[[nodiscard]] double native_pair_seconds(const NativePairCosts& costs, std::uint64_t block_bytes);

}  // namespace trunkline
