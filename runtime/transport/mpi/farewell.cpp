// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/farewell.hpp"

#include <algorithm>
#include <cstddef>

namespace trunkline::runtime {

/// Errors are those of ranks that have died: they ask for nothing. All steps are made all the same, since others wait.
void say_farewell(const PrivateCommunicator& ours, std::span<const int> ranks) {
  const MPI_Comm communicator = ours.communicator();
  const int tag = ours.tags().farewell();
  int own = MPI_UNDEFINED;
  if (PMPI_Comm_rank(communicator, &own) != MPI_SUCCESS) return;
  const auto all = ranks.size();
  const auto place = static_cast<std::size_t>(std::ranges::find(ranks, own) - ranks.begin());
  for (std::size_t step = 1; step < all; step *= 2) {
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Request come = MPI_REQUEST_NULL;
    const int to = ranks[(place + step) % all];
    const int from = ranks[(place + all - step) % all];
    static_cast<void>(PMPI_Irecv(nullptr, 0, MPI_BYTE, from, tag, communicator, &come));
    static_cast<void>(PMPI_Isend(nullptr, 0, MPI_BYTE, to, tag, communicator, &sent));
    static_cast<void>(PMPI_Wait(&come, MPI_STATUS_IGNORE));
    static_cast<void>(PMPI_Wait(&sent, MPI_STATUS_IGNORE));
  }
}

}  // namespace trunkline::runtime
