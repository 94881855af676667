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

// And persistent collectives, which Open MPI has from 5.0 on.
#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5)
#define TRUNKLINE_HAS_PERSISTENT 1
#else
#define TRUNKLINE_HAS_PERSISTENT 0
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

#ifdef MPI_ABI
inline void do_nothing(MPI_Comm* /*communicator*/, int* /*code*/, ...) {}  // NOLINT(cert-dcl50-cpp): MPI's signature
#endif

/// The error handler by which a communicator's functions return errors, once MPI is initialised.
inline MPI_Errhandler errors_return() {
#ifdef MPI_ABI
  // Intel MPI 2021.18 and MPICH 5.0 have each other's numbers of MPI_ERRORS_RETURN and MPI_ERRORS_ABORT, and one build
  // is for both. A handler that does nothing has errors returned as well.
  static const MPI_Errhandler handler = [] {
    MPI_Errhandler made = MPI_ERRHANDLER_NULL;
    check(PMPI_Comm_create_errhandler(do_nothing, &made));
    return made;
  }();
  return handler;
#else
  return MPI_ERRORS_RETURN;
#endif
}

}  // namespace trunkline::runtime
