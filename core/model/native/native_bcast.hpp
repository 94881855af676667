// SPDX-License-Identifier: Apache-2.0
// Predicted times of the broadcasts that MPICH and Open MPI run by themselves, on the network they run on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kinds/rounds/costs.hpp"
#include "model/native/openmpi_rules.hpp"
#include "model/transfer/host_costs.hpp"
#include "model/transfer/round_cost.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {

/// Whose native algorithms a prediction is about.
enum class NativeLibrary : std::uint8_t { mpich, openmpi };

enum class MpichBcast : std::uint8_t { binomial, scatter_doubling, scatter_ring };

/// What MPICH selects: binomial up to 12 KiB or below 8 ranks; scatter and allgather above, by recursive doubling up to
/// 512 KiB on powers of two, by a ring else.
[[nodiscard]] MpichBcast mpich_bcast(Rank ranks, std::uint64_t message_bytes);

/// What a library selects from, on one communicator and root.
struct NativeCosts {
  /// The message goes down a tree in one piece.
  struct WholeTree {
    OpenMpiBcast algorithm;
    TreeCosts in_turn;  ///< one child after another
    RoundCost at_once;  ///< all children share the rate
  };
  NativeLibrary library = NativeLibrary::mpich;
  Rank ranks = 0;
  HostCosts hosts = usual_host_costs();
  TreeCosts binomial;                     ///< MPICH's
  RoundCosts scatter_doubling_allgather;  ///< of Open MPI, where it selects it for these ranks
  RoundCosts scatter_ring_allgather;      ///< MPICH's
  std::vector<WholeTree> openmpi;         ///< the trees that Open MPI may select for these ranks
};

/// Lays the algorithms over the cluster by rank number, as the libraries do, and adds up each round's loads.
/// `only_bytes`: the one alone that is selected for that size. Time O(ranks * log(ranks) * length of a path).
[[nodiscard]] NativeCosts native_costs(const Paths& paths, const Placement& placement, Rank root, NativeLibrary library,
                                       const HostCosts& hosts = usual_host_costs(),
                                       std::optional<std::uint64_t> only_bytes = {});

/// Seconds of the algorithm that the library selects for this size. MPICH's rule: mpich_bcast(); Open MPI's:
/// openmpi_rules.hpp; its split binary tree counts as a binary one.
[[nodiscard]] double native_bcast_seconds(const NativeCosts& costs, std::uint64_t message_bytes);

}  // namespace trunkline
