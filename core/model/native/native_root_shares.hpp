// SPDX-License-Identifier: Apache-2.0
// Times of the MPI library's own MPI_Gather and MPI_Scatter, from the cluster's stated rates.
#pragma once

#include <cstdint>

#include "collective/collective.hpp"
#include "kinds/rounds/costs.hpp"
#include "model/native/native_bcast.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// A binomial tree by rank number, which is MPICH's way; Open MPI has that for some sizes, and goes straight for
/// others. What queues of switches lose where all send to the root at once is left out.
struct NativeRootShareCosts {
  NativeLibrary library = NativeLibrary::mpich;
  bool gathers = false;
  RoundCosts tree{};
  double straight_byte_s = 0.0;     ///< of the message, on the root's link and the fullest one behind it
  double straight_messages = 0.0;   ///< that the root sends, or receives
  double straight_latency_s = 0.0;  ///< of the longest way
};

/// Time O(ranks * length of a path).
[[nodiscard]] NativeRootShareCosts native_root_share_costs(const Paths& paths, const Placement& placement,
                                                           Collective collective, Rank root, NativeLibrary library,
                                                           const HostCosts& hosts = usual_host_costs());

/// Whether a library has the tree for shares of that many bytes.
[[nodiscard]] bool goes_along_a_tree(NativeLibrary library, bool gathers, Rank ranks, std::uint64_t share_bytes);

/// Seconds of the one that runs.
[[nodiscard]] double native_root_share_seconds(const NativeRootShareCosts& costs, std::uint64_t message_bytes);

}  // namespace trunkline
