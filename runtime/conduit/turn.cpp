// SPDX-License-Identifier: Apache-2.0
#include "conduit/turn.hpp"

#include <pthread.h>

namespace trunkline::runtime {

void Turn::send(const Chunk& chunk, int to, unsigned tree, bool synchronous, MPI_Request& request) {
  const bool due = conduit_.backlog().due(to, static_cast<std::uint64_t>(chunk.bytes), synchronous);
  const auto start = due ? PMPI_Issend : PMPI_Isend;
  check(start(chunk.at, chunk.count, chunk.type, to, tag(tree), conduit_.communicator(), &request));
}

void Turn::receive(const Chunk& chunk, int from, unsigned tree, MPI_Request& request) {
  check(PMPI_Irecv(chunk.at, chunk.count, chunk.type, from, tag(tree), conduit_.communicator(), &request));
}

namespace {

/// Whether a request is over; once it is, it is null. MPICH's MPI_Test looks for what has come before it answers, also
/// where the request has long been over: a system call for each segment. Its MPI_Request_get_status answers first.
bool is_over(MPI_Request& request, MPI_Status& status) {
  int over = 0;
#ifdef OPEN_MPI
  check(PMPI_Test(&request, &over, &status));
#else
  check(PMPI_Request_get_status(request, &over, MPI_STATUS_IGNORE));
  if (over != 0) check(PMPI_Wait(&request, &status));
#endif
  return over != 0;
}

/// The place of one that is over.
std::optional<std::size_t> any_over(std::span<MPI_Request* const> requests, std::vector<MPI_Request>& handles,
                                    MPI_Status& status) {
#ifdef OPEN_MPI
  handles.clear();
  for (const MPI_Request* const request : requests) handles.push_back(*request);
  int index = MPI_UNDEFINED;
  int over = 0;
  const int code = PMPI_Testany(static_cast<int>(handles.size()), handles.data(), &index, &over, &status);
  // Also after an error, which the library frees the request with.
  for (std::size_t i = 0; i < handles.size(); ++i) *requests[i] = handles[i];
  check(code);
  return over != 0 && index != MPI_UNDEFINED ? std::optional(static_cast<std::size_t>(index)) : std::nullopt;
#else
  static_cast<void>(handles);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (is_over(*requests[i], status)) return i;
  }
  return std::nullopt;
#endif
}

Turn::Over over_at(std::size_t index, const MPI_Status& status) {
  int bytes = 0;
  check(PMPI_Get_count(&status, MPI_BYTE, &bytes));
  return {.index = index, .bytes = bytes};
}

}  // namespace

std::optional<Turn::Over> Turn::test_any(std::span<MPI_Request* const> requests, bool receiving, Patience& patience) {
  MPI_Status status{};
  const auto index = any_over(requests, handles_, status);
  if (!index) {
    if (patience.is_over(is_alert_)) look_for_trouble(receiving, patience);
    return {};
  }
  return over_at(*index, status);
}

Turn::Over Turn::wait_any(std::span<MPI_Request* const> requests, bool receiving) {
  if constexpr (simulated) {
    handles_.clear();
    for (const MPI_Request* const request : requests) handles_.push_back(*request);
    int index = MPI_UNDEFINED;
    MPI_Status status{};
    check(PMPI_Waitany(static_cast<int>(handles_.size()), handles_.data(), &index, &status));
    *requests[static_cast<std::size_t>(index)] = handles_[static_cast<std::size_t>(index)];
    return over_at(static_cast<std::size_t>(index), status);
  }
  Patience patience;
  while (true) {
    if (const auto over = test_any(requests, receiving, patience)) return *over;
  }
}

bool Turn::test_all(std::span<MPI_Request> requests, Patience& patience) {
  MPI_Status status{};
  for (MPI_Request& request : requests) {
    if (request == MPI_REQUEST_NULL || is_over(request, status)) continue;
    if (patience.is_over(is_alert_)) look_for_trouble(false, patience);
    return false;
  }
  return true;
}

void Turn::wait_all(std::span<MPI_Request> requests) {
  if constexpr (simulated) {
    check(PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    return;
  }
  for (; !requests.empty(); requests = requests.subspan(1)) {
    Patience patience;
    while (!test_all(requests.first(1), patience)) {
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
