// SPDX-License-Identifier: Apache-2.0
// What is measured between all ranks at once: segments handed on along a line.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "collectives/pipelined_trees.hpp"
#include "model/measurement.hpp"
#include "plan/tree.hpp"
#include "samples.hpp"

namespace trunkline::measure {

/// The preload library's own executor on a line of all ranks. Everybody calls the same functions in the same order;
/// rank 0, the line's first, gets the results, the others' are meaningless.
class Relay {
 public:
  /// `line` starts at rank 0.
  Relay(MPI_Comm communicator, const Tree& line, const Limits& limits);

  [[nodiscard]] RelayPoint point(std::uint64_t segment_bytes);

 private:
  /// Seconds until the last rank has so many segments and rank 0 has its word.
  Samples through(std::uint64_t segment_bytes, std::uint64_t segments);

  MPI_Comm communicator_;
  int rank_ = 0;
  int last_;
  std::vector<runtime::LocalTree> local_;
  Limits limits_;
};

}  // namespace trunkline::measure
