// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <new>

#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/state.hpp"
#include "intercept/under_way.hpp"
#include "mpi_api.hpp"

using namespace trunkline::runtime;

namespace {

/// What MPI_Init returns after the library's own initialisation returned `code`. Once: a tool behind us may answer one
/// of the two functions by the other, which comes back to us.
int initialised(int code) {
  static constinit std::atomic<bool> has_started = false;
  if (code != MPI_SUCCESS || has_started.exchange(true)) return code;
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
  return initialised(NEXT(Init)(argc, argv));
}

TRUNKLINE_EXPORT int MPI_Finalize() {
  end_progress_thread();
  return NEXT(Finalize)();
}

TRUNKLINE_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  refuse_wrong_mpi();
  return initialised(NEXT(Init_thread)(argc, argv, required, provided));
}
