// SPDX-License-Identifier: Apache-2.0
// Looks at the network. MPICH makes one, a system call, whenever it is asked about a message that is not over. One is
// enough for all that a rank waits for; and none is needed within the library's own progress, which is one: Open MPI
// makes one there, too.
#pragma once

#include "mpi_api.hpp"

namespace trunkline::runtime {

/// This thread goes on with calls that do not block, from within the MPI library's progress.
inline constinit thread_local bool within_progress __attribute__((tls_model("initial-exec"))) = false;

/// This thread asks about several messages and has looked for them: MPICH before 5.0, and Open MPI, make no other look
/// meanwhile (startup/progress_hook.cpp).
inline constinit thread_local bool has_looked __attribute__((tls_model("initial-exec"))) = false;

/// Whether a look of ours would be one within the library's progress that it does not bear: MPICH from 5.0 on walks a
/// list of what it goes on with, and frees what is over, also in such a look.
[[nodiscard]] inline bool must_not_look() {
#if defined(MPICH_NUMVERSION) && !defined(MPI_ABI) && !defined(TRUNKLINE_SIMULATED)
  return MPICH_NUMVERSION >= 50000000 && within_progress;
#else
  return false;
#endif
}

/// While a thread asks about several messages, and does nothing else.
class Looks {
 public:
  Looks() { has_looked = within_progress; }
  ~Looks() { has_looked = false; }
  Looks(const Looks&) = delete;
  Looks& operator=(const Looks&) = delete;
};

/// Whether a request may be asked whether it is over. MPICH from 5.0 on says that without a look. It calls us while it
/// walks a list, which progress within that call may change.
[[nodiscard]] inline bool may_be_tested([[maybe_unused]] MPI_Request request) {
#if defined(MPICH_NUMVERSION) && !defined(MPI_ABI) && !defined(TRUNKLINE_SIMULATED)
#if MPICH_NUMVERSION >= 50000000
  const bool needs_no_look = within_progress || has_looked;
  if (needs_no_look && request != MPI_REQUEST_NULL) return PMPIX_Request_is_complete(request) != 0;
#endif
#endif
  return true;
}

}  // namespace trunkline::runtime
