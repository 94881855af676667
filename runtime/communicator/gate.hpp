// SPDX-License-Identifier: Apache-2.0
// A barrier in steps that never block, over messages of ours: where calls that do not block have to wait for all
// members of their communicator to have come as far (TagLayout::meet_before).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mpi_api.hpp"
#include "network/placement.hpp"
#include "transport/mpi/private_communicator.hpp"

namespace trunkline::runtime {

/// A dissemination barrier, which tells all members the greatest of their words. Cost: ceil(log2 P) T(0).
class Gate {
 public:
  /// `ranks`: the members in MPI_COMM_WORLD, of which this process is the one at `place`; the list must outlive the
  /// object, which must not be destroyed before it is open. `number`: the communicator's; `turn`: the one behind the
  /// gate.
  Gate(const PrivateCommunicator& ours, std::span<const int> ranks, Rank place, unsigned number, std::uint64_t turn)
      : communicator_(ours.communicator()), tag_(ours.tags().gate(number, turn)), ranks_(ranks), place_(place) {}

  /// Whether it is open: all members have made their first step. Errors are those of ranks that have died: no rank
  /// waits for these.
  /// `words`: this rank's at the first step, as many on all; once it is open, the greatest of each place.
  [[nodiscard]] bool step(std::span<std::int64_t> words = {});

  static constexpr std::size_t most_words = 4;

 private:
  MPI_Comm communicator_;
  int tag_;
  std::span<const int> ranks_;
  std::size_t place_;
  std::size_t distance_ = 1;  ///< in the list, to whom this rank sends next
  bool has_begun_ = false;    ///< at that distance
  std::array<std::int64_t, most_words> sending_{};
  std::array<std::int64_t, most_words> coming_{};
  MPI_Request sent_ = MPI_REQUEST_NULL;
  MPI_Request come_ = MPI_REQUEST_NULL;
};

}  // namespace trunkline::runtime
