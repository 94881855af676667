// SPDX-License-Identifier: Apache-2.0
// What a barrier of the MPI library's own takes: word goes to ranks 1, 2, 4, ... away.
#pragma once

#include <cstdint>

#include "collective/collective.hpp"
#include "model/native/native_bcast.hpp"
#include "model/transfer/round_cost.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"

namespace trunkline {

struct NativeBarrierCosts {
  RoundCost rounds;
  HostCosts hosts;
};

/// MPICH goes by hosts: among the first ranks of all, where ranks of a host share memory. Open MPI's rules name
/// exchanges of as many rounds for any number of ranks. What ranks of a host spend among themselves is left out, so it
/// is no more than what the library takes.
[[nodiscard]] NativeBarrierCosts native_barrier_costs(const Paths& paths, const Placement& placement,
                                                      NativeLibrary library, const HostCosts& hosts);

[[nodiscard]] double native_barrier_seconds(const NativeBarrierCosts& costs, std::uint64_t message_bytes);

}  // namespace trunkline
