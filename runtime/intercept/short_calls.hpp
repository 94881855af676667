// SPDX-License-Identifier: Apache-2.0
// Calls that are so short that MPI runs them whatever else is true of them: most calls of most programs. On one host
// they take MPI itself 0.1 to 1 us, so they are told from others by their size alone, before anything is made of their
// arguments, and nothing is asked of MPI. A call that cannot be told so gets a closer look.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "collective/collective.hpp"
#include "datatype/predefined.hpp"
#include "intercept/state.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {

/// By collective: calls of less are native on every communicator, and need no explanation. 0: none is.
extern std::array<std::atomic<std::uint64_t>, most_collectives> left_below;
/// Of MPI_COMM_WORLD.
extern int ranks_of_job;

/// Whether MPI runs a call of `elements` elements in any case.
[[nodiscard]] inline bool is_left_to_mpi(Collective collective, MPI_Count elements, MPI_Datatype type) {
  if (!watching.load(std::memory_order_relaxed)) return true;
  const std::uint64_t below = left_below[static_cast<std::size_t>(collective)].load(std::memory_order_relaxed);
  if (static_cast<std::uint64_t>(elements) >= below) return false;  // or negative, which MPI has to judge
  const std::optional<std::uint64_t> bytes = predefined_bytes(type);
  return bytes && static_cast<std::uint64_t>(elements) * *bytes < below;
}

/// The same of a call in which each rank has `elements`. No communicator has more ranks than the job, but those with
/// processes outside of it, and these MPI runs anyway.
[[nodiscard]] inline bool is_left_to_mpi_of_each(Collective collective, MPI_Count elements, MPI_Datatype type) {
  constexpr MPI_Count many = MPI_Count{1} << 31;
  return is_left_to_mpi(collective, elements < many ? elements * ranks_of_job : elements, type);
}

}  // namespace trunkline::runtime
