// SPDX-License-Identifier: Apache-2.0
// Communicators that the program frees: see Dying.
#include "communicator/communicator.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/state.hpp"
#include "intercept/under_way.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {
namespace {

using Free = int(MPI_Comm*);

int free_natively(MPI_Comm* communicator, Free* native, bool waits = false) {
  if (communicator != nullptr && waits) wait_for_calls_on(*communicator);
  const bool meets = world() != nullptr && (world()->follow || world()->learn != Learn::none);
  const bool minds = meets || watching.load(std::memory_order_relaxed);
  if (communicator == nullptr || *communicator == MPI_COMM_NULL || !minds) return native(communicator);
  forget_communicator(*communicator);
  const Dying mark(*communicator);
  if (meets) Communicator::forget(*communicator);
  return native(communicator);
}

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Comm_free(MPI_Comm* communicator) { return free_natively(communicator, NEXT(Comm_free)); }

TRUNKLINE_EXPORT int MPI_Comm_disconnect(MPI_Comm* communicator) {
  return free_natively(communicator, NEXT(Comm_disconnect), true);
}
