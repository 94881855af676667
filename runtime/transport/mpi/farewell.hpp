// SPDX-License-Identifier: Apache-2.0
// Ranks that leave together, in MPI_Finalize.
#pragma once

#include <span>

#include "transport/mpi/private_communicator.hpp"

namespace trunkline::runtime {

/// Returns once all of them have called it; `ranks`: in MPI_COMM_WORLD, the same list on all of them. Whoever is in
/// several such lists takes them in one order. A rank that has died is not waited for.
///
/// A dissemination barrier. Cost: ceil(log2 P) T(0).
void say_farewell(const PrivateCommunicator& ours, std::span<const int> ranks);

}  // namespace trunkline::runtime
