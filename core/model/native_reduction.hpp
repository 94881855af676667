// SPDX-License-Identifier: Apache-2.0
// Predicted times of the reductions that MPICH and Open MPI run by themselves, on the network they run on.
#pragma once

#include <cstdint>
#include <vector>

#include "model/native_bcast.hpp"
#include "model/round_cost.hpp"
#include "model/tree_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "plan/collective.hpp"

namespace trunkline {

/// What a library selects from, on one communicator and root.
struct NativeReductionCosts {
  Rank ranks = 0;
  std::vector<RoundCost> whole{};      ///< the whole vector in each transfer
  std::vector<RoundCost> blocks{};     ///< one part for each rank
  std::vector<TreeCosts> pipelined{};  ///< segments up a tree
};

/// Lays the algorithms over the cluster by rank number, as the libraries do. Allreduce: recursive doubling; recursive
/// halving and doubling (Rabenseifner); of Open MPI on few ranks a ring. Reduce: binomial tree; recursive halving and
/// gather; of Open MPI pipelined chain and binary tree. Time O(ranks * log(ranks) * length of a path).
[[nodiscard]] NativeReductionCosts native_reduction_costs(const Paths& paths, const Placement& placement,
                                                          Collective collective, Rank root, NativeLibrary library);

/// Seconds of the fastest of them: both libraries choose by ranks and size alone, and not always that one, so it is a
/// lower bound of what their choice takes.
[[nodiscard]] double native_reduction_seconds(const NativeReductionCosts& costs, std::uint64_t message_bytes);

}  // namespace trunkline
