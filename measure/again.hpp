// SPDX-License-Identifier: Apache-2.0
// One rank decides how often a measurement is repeated, and all repeat it.
#pragma once

#include <mpi.h>

#include "samples.hpp"

namespace trunkline::measure {

/// Whether to take another sample, by rank 0's samples; the same answer on all ranks of the communicator. `since`: when
/// the first one was begun, as MPI_Wtime() has it.
inline bool again(MPI_Comm communicator, const Samples& samples, const Limits& limits, double since) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  int more = rank == 0 && !samples.enough(limits, MPI_Wtime() - since) ? 1 : 0;
  MPI_Bcast(&more, 1, MPI_INT, 0, communicator);
  return more != 0;
}

}  // namespace trunkline::measure
