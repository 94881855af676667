// SPDX-License-Identifier: Apache-2.0
#include "conduit/turn.hpp"

#include <pthread.h>

#include "conduit/patience.hpp"

namespace trunkline::runtime {

void Turn::send(const std::byte* at, int bytes, int to, unsigned tree, bool synchronous, MPI_Request& request) {
  const bool due = conduit_.backlog().due(to, static_cast<std::uint64_t>(bytes), synchronous);
  const auto start = due ? PMPI_Issend : PMPI_Isend;
  check(start(at, bytes, MPI_BYTE, to, tag(tree), conduit_.communicator(), &request));
}

void Turn::receive(std::byte* at, int bytes, int from, unsigned tree, MPI_Request& request) {
  check(PMPI_Irecv(at, bytes, MPI_BYTE, from, tag(tree), conduit_.communicator(), &request));
}

Turn::Over Turn::wait_any(std::span<MPI_Request* const> requests, bool receiving) {
  handles_.clear();
  for (const MPI_Request* const request : requests) handles_.push_back(*request);
  const int count = static_cast<int>(handles_.size());
  int index = MPI_UNDEFINED;
  int code = MPI_SUCCESS;
  MPI_Status status{};
  if constexpr (simulated) {
    code = PMPI_Waitany(count, handles_.data(), &index, &status);
  } else {
    Patience patience;
    for (int over = 0; over == 0 && code == MPI_SUCCESS;) {
      code = PMPI_Testany(count, handles_.data(), &index, &over, &status);
      if (over == 0 && code == MPI_SUCCESS && patience.is_over()) look_for_trouble(receiving);
    }
  }
  // Also after an error, which some libraries free the request with.
  for (std::size_t i = 0; i < handles_.size(); ++i) *requests[i] = handles_[i];
  check(code);
  if (index == MPI_UNDEFINED) throw MpiError{MPI_ERR_INTERN};
  int bytes = 0;
  check(PMPI_Get_count(&status, MPI_BYTE, &bytes));
  return {.index = static_cast<std::size_t>(index), .bytes = bytes};
}

void Turn::wait_all(std::span<MPI_Request> requests) {
  const int count = static_cast<int>(requests.size());
  if constexpr (simulated) {
    check(PMPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE));
  } else {
    Patience patience;
    for (int over = 0; over == 0;) {
      check(PMPI_Testall(count, requests.data(), &over, MPI_STATUSES_IGNORE));
      if (over == 0 && patience.is_over()) look_for_trouble(false);
    }
  }
}

Uncancelled::Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }

Uncancelled::~Uncancelled() { pthread_setcancelstate(before_, nullptr); }

bool let_go(std::span<MPI_Request> requests, bool cancel) noexcept {
  const Uncancelled uncancelled;
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
