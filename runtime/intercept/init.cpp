// SPDX-License-Identifier: Apache-2.0
#include <new>

#include "intercept/export.hpp"
#include "intercept/state.hpp"
#include "mpi_api.hpp"

using namespace trunkline::runtime;

namespace {

/// What MPI_Init returns after the library's own initialisation returned `code`.
int initialised(int code) {
  if (code != MPI_SUCCESS) return code;
  try {
    start();
  } catch (const MpiError& error) {
    return error.code;
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  }
  return MPI_SUCCESS;
}

}  // namespace

TRUNKLINE_EXPORT int MPI_Init(int* argc, char*** argv) {
  refuse_wrong_mpi();
  return initialised(PMPI_Init(argc, argv));
}

TRUNKLINE_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  refuse_wrong_mpi();
  return initialised(PMPI_Init_thread(argc, argv, required, provided));
}
