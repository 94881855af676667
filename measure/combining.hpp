// SPDX-License-Identifier: Apache-2.0
// What the library takes to add one operand to another, on all ranks of a host at once.
#pragma once

#include <mpi.h>

#include <vector>

#include "model/measured/measurement.hpp"
#include "samples.hpp"

namespace trunkline::measure {

/// MPI_SUM of doubles by MPI_Reduce_local, of sizes that segments have. Processor time of a thread, so a busy machine
/// matters little; of the ranks, which all do it at once, the slowest. Everybody in the communicator calls it; its rank
/// 0 gets the points.
[[nodiscard]] std::vector<CombinePoint> measure_combining(MPI_Comm ranks_of_host, const Limits& limits);

}  // namespace trunkline::measure
