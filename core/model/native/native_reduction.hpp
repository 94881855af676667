// SPDX-License-Identifier: Apache-2.0
// Predicted times of the reductions that MPICH and Open MPI run by themselves, on the network they run on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collective/collective.hpp"
#include "model/native/exchanges.hpp"
#include "model/native/native_bcast.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// What the libraries select from.
enum class NativeReduction : std::uint8_t {
  doubling,          ///< the whole vector with ranks 1, 2, 4, ... away
  halving,           ///< halves, quarters, ... are reduced, then gathered (Rabenseifner)
  ring,              ///< every block goes round twice
  flat_tree,         ///< all to the root at once
  line,              ///< from rank to rank, in one piece
  binary_tree,       ///< in one piece
  in_order,          ///< in one piece, see in_order_binary_tree()
  binomial_tree,     ///< in one piece
  reduce_and_bcast,  ///< one after the other, as the library selects each
};

/// MPICH reduces no longer messages up a binomial tree.
inline constexpr std::uint64_t mpich_short_reduce_bytes = 2048;

/// The algorithm that a library selects for an MPI_Reduce or MPI_Allreduce of 2 KiB and more; operations commute and
/// are MPI's own. MPICH's rule, as its own table has it: allreduce halves above 8 bytes, reduce above 2 KiB, where each
/// rank of a power of two gets an element of 8 bytes; else recursive doubling, and a binomial tree. Open MPI's:
/// openmpi_rules.hpp.
[[nodiscard]] NativeReduction native_reduction(NativeLibrary library, Collective collective, Rank ranks,
                                               std::uint64_t message_bytes);

/// What may be selected on one communicator and root.
struct NativeReductionCosts {
  struct One {
    NativeReduction algorithm;
    std::vector<RoundCost> rounds;  ///< those that are alike together
  };
  NativeLibrary library = NativeLibrary::mpich;
  Collective collective = Collective::allreduce;
  Rank ranks = 0;
  HostCosts hosts = usual_host_costs();
  std::vector<One> algorithms{};
  NativeCosts bcast{};  ///< where a broadcast follows a reduction
};

/// Lays the algorithms over the cluster by rank number, as the libraries do, those alone that the library selects on so
/// many ranks. Time O(ranks * log(ranks) * length of a path).
[[nodiscard]] NativeReductionCosts native_reduction_costs(const Paths& paths, const Placement& placement,
                                                          Collective collective, Rank root, NativeLibrary library,
                                                          const HostCosts& hosts = usual_host_costs(),
                                                          std::optional<std::uint64_t> only_bytes = {});

/// Seconds of the algorithm that the library selects for this size.
[[nodiscard]] double native_reduction_seconds(const NativeReductionCosts& costs, std::uint64_t message_bytes);

}  // namespace trunkline
