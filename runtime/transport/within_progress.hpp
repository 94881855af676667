// SPDX-License-Identifier: Apache-2.0
// Whether this thread goes on with calls that do not block, from within the MPI library's progress: then that goes on
// anyway, and no look of ours has to make it.
#pragma once

#include "mpi_api.hpp"

namespace trunkline::runtime {

inline constinit thread_local bool within_progress __attribute__((tls_model("initial-exec"))) = false;

/// Whether a request may be asked whether it is over. MPICH from 5.0 on calls us while it walks a list, which progress
/// within that call may change: there only one that is over is asked.
[[nodiscard]] inline bool may_be_tested([[maybe_unused]] MPI_Request request) {
#if defined(MPICH_NUMVERSION) && !defined(MPI_ABI) && !defined(TRUNKLINE_SIMULATED)
#if MPICH_NUMVERSION >= 50000000
  if (within_progress && request != MPI_REQUEST_NULL) return PMPIX_Request_is_complete(request) != 0;
#endif
#endif
  return true;
}

}  // namespace trunkline::runtime
