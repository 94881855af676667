// SPDX-License-Identifier: Apache-2.0
// Each collective of ours, and then one of MPI's own, in which a rank no longer looks at what is ours. A rank that is
// still in our call must not need it: docs/faults.md, "Who waits for whom".
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "fault_cases.hpp"

namespace faults {
namespace {

using Ints = std::vector<int>;

Ints all_of(int value, int count) { return Ints(static_cast<std::size_t>(count), value); }

bool is_all(const Ints& found, int value) {
  return std::all_of(found.begin(), found.end(), [value](int one) { return one == value; });
}

/// MPI's own, each checked.
bool native(int which, int serial) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const Ints own = all_of(serial, ranks);
  Ints all = all_of(-1, ranks);
  int one = serial;
  int sum = -1;
  const int root = serial % ranks;
  switch (which) {
    case 0:
      return PMPI_Barrier(world) == MPI_SUCCESS;
    case 1:
      PMPI_Alltoall(own.data(), 1, MPI_INT, all.data(), 1, MPI_INT, world);
      return is_all(all, serial);
    case 2:
      PMPI_Gather(&one, 1, MPI_INT, all.data(), 1, MPI_INT, root, world);
      return rank != root || is_all(all, serial);
    case 3:
      PMPI_Scatter(own.data(), 1, MPI_INT, &sum, 1, MPI_INT, root, world);
      return sum == serial;
    case 4:
      PMPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, world);
      return sum == serial * (rank + 1);
    case 5:
      PMPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world);
      return sum == serial * ranks;
    case 6:
      PMPI_Reduce_scatter_block(own.data(), &sum, 1, MPI_INT, MPI_SUM, world);
      return sum == serial * ranks;
    case 7:
      PMPI_Allgather(&one, 1, MPI_INT, all.data(), 1, MPI_INT, world);
      return is_all(all, serial);
    case 8: {
      MPI_Request request = MPI_REQUEST_NULL;
      PMPI_Ibarrier(world, &request);
      return PMPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    }
    default:
      PMPI_Sendrecv(&one, 1, MPI_INT, (rank + 1) % ranks, 0, &sum, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, world,
                    MPI_STATUS_IGNORE);
      return sum == serial;
  }
}
constexpr int natives = 10;

/// Ours, by the choice that counts.
void ours(int which, int serial) {
  constexpr int frames = 12000;  // longer than what a root leaves once it is sent
  const std::string what = "call " + std::to_string(serial);
  switch (which) {
    case 0:
      return right(MPI_COMM_WORLD, frames, 0, serial, what);
    case 1:
      return right(MPI_COMM_WORLD, frames, serial % ranks, serial, what);
    case 2:
      return right(MPI_COMM_WORLD, 1000, serial % ranks, serial, what);
    case 3:
      return right_sums(MPI_COMM_WORLD, 150, what);
    case 4:
      return right_sums(MPI_COMM_WORLD, 3000, what);
    case 5: {
      const Ints own = all_of(serial, 300);
      Ints all = all_of(-1, 300 * ranks);
      MPI_Allgather(own.data(), 300, MPI_INT, all.data(), 300, MPI_INT, MPI_COMM_WORLD);
      return expect(is_all(all, serial), what + ": wrong shares");
    }
    default:
      expect(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS, what);
  }
}
constexpr int collectives = 7;

/// NATIVE_CALLS: how often each pair of them, if it is set.
void native_after_ours() {
  const char* const wanted = std::getenv("NATIVE_CALLS");
  const int times = wanted != nullptr ? std::atoi(wanted) : 20;
  int serial = 0;
  for (int which = 0; which < natives; ++which) {
    for (int turn = 0; turn < times * collectives; ++turn) {
      ours(turn % collectives, ++serial % 1000);
      expect(native(which, serial % 1000), "MPI's own call " + std::to_string(which) + " is wrong");
    }
  }
}

}  // namespace

Cases native_cases() { return {{"native-after-ours", native_after_ours}}; }

}  // namespace faults
