// SPDX-License-Identifier: Apache-2.0
// What the MPI library's own algorithm takes, whatever the collective.
#pragma once

#include <cstdint>
#include <memory>

#include "collective/collective.hpp"
#include "model/native/rules.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// Of one collective on one communicator, from one root.
class NativeTimes {
 public:
  virtual ~NativeTimes() = default;
  NativeTimes() = default;
  NativeTimes(const NativeTimes&) = delete;
  NativeTimes& operator=(const NativeTimes&) = delete;

  /// From the cluster's stated rates. `message_bytes`: above zero; of pairs, those of a block.
  [[nodiscard]] virtual double seconds(std::uint64_t message_bytes) const = 0;
};

/// Of what the library selects for a size (rules.hpp), laid over the ranks by their numbers as libraries do, once such
/// a size is first asked for: to be used by one thread at a time. `paths` and what it is of must outlive the result.
/// Each algorithm that is asked for takes time O(ranks * log(ranks) * length of a path), once; of pairs O(ranks^2 *
/// length).
///
/// What Open MPI selects for shares and pairs is not known: of those the fastest one counts, a lower bound of what its
/// choice takes. Where MPICH goes by hosts (native_choice.hpp), within each host to or from its first rank, and among
/// those; of its barriers, what ranks of a host spend among themselves is left out.
[[nodiscard]] std::unique_ptr<const NativeTimes> native_times(const Paths& paths, const Placement& placement,
                                                              Collective collective, Rank root, NativeLibrary library,
                                                              const HostCosts& hosts);

}  // namespace trunkline
