// SPDX-License-Identifier: Apache-2.0
#include "trace/clocks.hpp"

#include <limits>
#include <optional>

#include "trace/ring.hpp"

namespace trunkline::runtime {
namespace {

constexpr int ping_pongs = 8;

}  // namespace

ClockOffset estimate_clock(MPI_Comm communicator, int tag, int rank, int ranks) {
  if (rank == 0) {
    std::optional<MpiError> of_any;
    for (int peer = 1; peer < ranks; ++peer) {
      try {
        for (int i = 0; i < ping_pongs; ++i) {
          check(PMPI_Recv(nullptr, 0, MPI_BYTE, peer, tag, communicator, MPI_STATUS_IGNORE));
          const std::uint64_t here = monotonic_ns();
          check(PMPI_Send(&here, sizeof(here), MPI_BYTE, peer, tag, communicator));
        }
      } catch (const MpiError& error) {  // of a rank that has died: the others wait for their turn
        of_any = error;
      }
    }
    if (of_any) throw MpiError(*of_any);
    return {};
  }
  ClockOffset best{.error_ns = std::numeric_limits<std::uint64_t>::max()};
  for (int i = 0; i < ping_pongs; ++i) {
    std::uint64_t there = 0;
    const std::uint64_t sent = monotonic_ns();
    check(PMPI_Send(nullptr, 0, MPI_BYTE, 0, tag, communicator));
    check(PMPI_Recv(&there, sizeof(there), MPI_BYTE, 0, tag, communicator, MPI_STATUS_IGNORE));
    const std::uint64_t half = (monotonic_ns() - sent) / 2;
    if (half < best.error_ns) best = {static_cast<std::int64_t>(there - (sent + half)), half};
  }
  return best;
}

}  // namespace trunkline::runtime
