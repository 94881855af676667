// SPDX-License-Identifier: Apache-2.0
// Persistent collectives (MPI_Bcast_init): what they run is decided once, when all ranks make them, and each start is a
// call that does not block.
#pragma once

#include <memory>
#include <optional>

#include "intercept/call.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {

/// Makes one that runs its plan, and hands out a persistent request of the MPI library's: of a receive from this rank
/// itself, whose message is sent once the call is over. So nothing that completes requests has a wrapper. Collective,
/// and may wait. Returns MPI's code; empty: MPI's own is to be made, on all ranks alike.
[[nodiscard]] std::optional<int> make_persistent(std::unique_ptr<UserCall> call, MPI_Request* request);

}  // namespace trunkline::runtime
