// SPDX-License-Identifier: Apache-2.0
// How far this rank's monotonic clock is from rank 0's.
#pragma once

#include <cstdint>

#include "mpi_api.hpp"

namespace trunkline::runtime {

struct ClockOffset {
  std::int64_t ns = 0;         ///< to be added to this rank's clock
  std::uint64_t error_ns = 0;  ///< at most, when it was estimated: clocks drift
};

/// Collective over the communicator, where the tag has no other use: a few ping-pongs of each rank with rank 0, one
/// rank after another. The quickest one counts: rank 0 looked at its clock somewhere in between. Throws MpiError.
[[nodiscard]] ClockOffset estimate_clock(MPI_Comm communicator, int tag, int rank, int ranks);

}  // namespace trunkline::runtime
