// SPDX-License-Identifier: Apache-2.0
// Communicators that a rank has revoked, after another one failed: MPI itself has to report that on every rank.
#pragma once

#include "mpi_api.hpp"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

namespace trunkline::runtime {

[[nodiscard]] inline bool is_revoked([[maybe_unused]] MPI_Comm communicator) {
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
  int revoked = 0;
  return PMPIX_Comm_is_revoked(communicator, &revoked) == MPI_SUCCESS && revoked != 0;
#else
  return false;
#endif
}

#ifdef OMPI_HAVE_MPI_EXT_FTMPI
inline constexpr int revoked_code = MPIX_ERR_REVOKED;
#else
inline constexpr int revoked_code = MPI_ERR_COMM;
#endif

}  // namespace trunkline::runtime
