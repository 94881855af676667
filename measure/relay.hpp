// SPDX-License-Identifier: Apache-2.0
// What is measured between all ranks at once: segments handed on along a line.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "execute/trees/pipelined_trees.hpp"
#include "model/measured/measurement.hpp"
#include "patterns/tree.hpp"
#include "plan/in_flight.hpp"
#include "samples.hpp"
#include "transport/mpi/mpi_transport.hpp"

namespace trunkline::measure {

/// The preload library's own executor on a line of all ranks. Everybody calls the same functions in the same order;
/// rank 0, the line's first, gets the results, the others' are meaningless.
class Relay {
 public:
  /// `line` is of all ranks of MPI_COMM_WORLD and starts at rank 0. Throws MpiError.
  Relay(const Tree& line, const Limits& limits);

  [[nodiscard]] RelayPoint point(std::uint64_t segment_bytes);

 private:
  /// Seconds until the last rank has so many segments and rank 0 has its word.
  Samples through(std::uint64_t segment_bytes, std::uint64_t segments);

  std::unique_ptr<runtime::PrivateCommunicator> ours_;
  std::vector<int> members_;
  std::uint64_t turns_ = 0;
  int rank_ = 0;
  int last_;
  std::vector<runtime::LocalTree> local_;
  Limits limits_;
};

}  // namespace trunkline::measure
