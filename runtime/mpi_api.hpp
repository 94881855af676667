// SPDX-License-Identifier: Apache-2.0
// The MPI this library is built for, through its C interface alone.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <string_view>

// MPI 4 brought counts that do not fit an int, with functions that end in _c.
#if MPI_VERSION >= 4
#define TRUNKLINE_HAS_LARGE_COUNTS 1
#else
#define TRUNKLINE_HAS_LARGE_COUNTS 0
#endif

namespace trunkline::runtime {

#ifdef TRUNKLINE_SIMULATED
inline constexpr std::string_view mpi_name = "simgrid";
#elif defined(OPEN_MPI)
inline constexpr std::string_view mpi_name = "openmpi";
#else
inline constexpr std::string_view mpi_name = "mpich";
#endif
inline constexpr std::string_view mpi_version = TRUNKLINE_MPI_VERSION;

/// Throws what an MPI function reported, for the entry point to hand to the user's error handler.
struct MpiError {
  int code;
};

inline void check(int code) {
  if (code != MPI_SUCCESS) throw MpiError{code};
}

}  // namespace trunkline::runtime
