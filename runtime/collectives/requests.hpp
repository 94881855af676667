// SPDX-License-Identifier: Apache-2.0
// Requests under way: waiting for one of several, and what is left of them after an error.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mpi_api.hpp"

namespace trunkline::runtime {

/// Waits for one of the requests, none of which is null, and returns its index. Throws MpiError.
inline std::size_t wait_any(std::span<MPI_Request* const> requests, std::vector<MPI_Request>& scratch) {
  scratch.clear();
  for (const MPI_Request* const request : requests) scratch.push_back(*request);
  int index = MPI_UNDEFINED;
  const int code = PMPI_Waitany(static_cast<int>(scratch.size()), scratch.data(), &index, MPI_STATUS_IGNORE);
  // Also after an error, which some libraries free the request with.
  for (std::size_t i = 0; i < scratch.size(); ++i) *requests[i] = scratch[i];
  check(code);
  if (index == MPI_UNDEFINED) throw MpiError{MPI_ERR_INTERN};
  return static_cast<std::size_t>(index);
}

/// Lets go of requests that an error left behind. Returns whether there were any: the library may still use their
/// memory then.
inline bool give_up(std::span<MPI_Request> requests, bool cancel) {
  bool left_over = false;
  for (MPI_Request& request : requests) {
    if (request == MPI_REQUEST_NULL) continue;
    if (cancel) PMPI_Cancel(&request);
    PMPI_Request_free(&request);
    left_over = true;
  }
  return left_over;
}

}  // namespace trunkline::runtime
