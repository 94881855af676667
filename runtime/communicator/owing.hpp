// SPDX-License-Identifier: Apache-2.0
// What calls that do not block cannot wait for: their communicator's number, its group of datagrams, how long the
// blocks of an alltoall are. The communicator owes it to them, and the next collective that blocks does it first,
// however short it is itself. Not those with a root: programs that are wrong, and run natively, let their roots go on
// before others have come.
#pragma once

#include <atomic>

#include "collective/collective.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {

/// Whether any communicator owes anything: all that other programs pay.
extern std::atomic<bool> is_any_owing;

/// That one does, on all its members.
void begins_to_owe(MPI_Comm communicator);
/// It has settled that, or is freed.
void owes_nothing(MPI_Comm communicator);

/// settle() where any owes anything.
[[nodiscard]] int settle_owed(Collective collective, MPI_Comm communicator);

/// Before each collective that blocks, whatever its arguments are. Collective where the communicator owes something.
/// Returns MPI's code, of which the communicator's error handler has heard.
[[nodiscard]] inline int settle(Collective collective, MPI_Comm communicator) {
  return is_any_owing.load(std::memory_order_relaxed) ? settle_owed(collective, communicator) : MPI_SUCCESS;
}

}  // namespace trunkline::runtime
