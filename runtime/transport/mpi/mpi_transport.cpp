// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/mpi_transport.hpp"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "transport/datagrams.hpp"
#include "transport/looks.hpp"
#include "transport/mpi/requests.hpp"

namespace trunkline::runtime {

void MpiTransport::send(const Chunk& chunk, int to, unsigned stream, bool synchronous, Pending& pending) {
  const bool due = ours_.backlog().due(to, static_cast<std::uint64_t>(chunk.bytes), synchronous);
  const auto start = due ? PMPI_Issend : PMPI_Isend;
  MPI_Request request = MPI_REQUEST_NULL;
  check(start(chunk.at, chunk.count, chunk.type, to, tag(stream), ours_.communicator(), &request));
  keep(pending, request);
}

void MpiTransport::receive(const Chunk& chunk, int from, unsigned stream, Pending& pending) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(PMPI_Irecv(chunk.at, chunk.count, chunk.type, from, tag(stream), ours_.communicator(), &request));
  keep(pending, request);
}

namespace {

/// The place of one that is over.
std::optional<std::size_t> any_over(std::span<Pending* const> pending,
                                    [[maybe_unused]] std::vector<MPI_Request>& handles, MPI_Status& status) {
#ifdef OPEN_MPI
  handles.clear();
  for (const Pending* const one : pending) handles.push_back(request_of(*one));
  int index = MPI_UNDEFINED;
  int over = 0;
  const Looks looks;
  const int code = PMPI_Testany(static_cast<int>(handles.size()), handles.data(), &index, &over, &status);
  // Also after an error, which the library frees the request with.
  for (std::size_t i = 0; i < handles.size(); ++i) keep(*pending[i], handles[i]);
  check(code);
  return over != 0 && index != MPI_UNDEFINED ? std::optional(static_cast<std::size_t>(index)) : std::nullopt;
#else
  const Looks looks;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (is_over(*pending[i], status)) return i;
    has_looked = true;
  }
  return std::nullopt;
#endif
}

}  // namespace

MpiTransport::Over MpiTransport::over_at(std::size_t index, const MPI_Status& status) {
  int bytes = 0;
  check(PMPI_Get_count(&status, MPI_BYTE, &bytes));
  sender_ = status.MPI_SOURCE;
  return {.index = index, .bytes = bytes};
}

std::optional<MpiTransport::Over> MpiTransport::test_any(std::span<Pending* const> pending, bool receiving,
                                                         Watchdog& watchdog) {
  MPI_Status status{};
  if (pending.empty() && !simulated && !within_progress) ours_.go_on();
  const auto index = any_over(pending, handles_, status);
  if (!index) {
    if constexpr (simulated) {
      if (datagrams_ != nullptr && !within_progress) datagrams_->rest();
      return {};
    }
    if (is_due(watchdog)) look_for_trouble(receiving, watchdog);
    return {};
  }
  watchdog.got_on();
  return over_at(*index, status);
}

MpiTransport::Over MpiTransport::wait_any(std::span<Pending* const> pending, bool receiving) {
  if constexpr (simulated) {
    handles_.clear();
    for (const Pending* const one : pending) handles_.push_back(request_of(*one));
    int index = MPI_UNDEFINED;
    MPI_Status status{};
    check(PMPI_Waitany(static_cast<int>(handles_.size()), handles_.data(), &index, &status));
    keep(*pending[static_cast<std::size_t>(index)], handles_[static_cast<std::size_t>(index)]);
    return over_at(static_cast<std::size_t>(index), status);
  }
  Watchdog watchdog;
  while (true) {
    if (const auto over = test_any(pending, receiving, watchdog)) return *over;
  }
}

bool MpiTransport::test_all(std::span<Pending> pending, Watchdog& watchdog) {
  MPI_Status status{};
  for (Pending& one : pending) {
    if (one.is_none()) continue;
    if (is_over(one, status)) {
      watchdog.got_on();
      continue;
    }
    if (!simulated && is_due(watchdog)) look_for_trouble(false, watchdog);
    return false;
  }
  return true;
}

void MpiTransport::wait_all(std::span<Pending> pending) {
  if constexpr (simulated) {
    handles_.clear();
    for (const Pending& one : pending) handles_.push_back(request_of(one));
    check(PMPI_Waitall(static_cast<int>(handles_.size()), handles_.data(), MPI_STATUSES_IGNORE));
    std::ranges::fill(pending, Pending());
    return;
  }
  for (; !pending.empty(); pending = pending.subspan(1)) {
    Watchdog watchdog;
    while (!test_all(pending.first(1), watchdog)) {
    }
  }
}

Uncancelled::Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }

Uncancelled::~Uncancelled() { pthread_setcancelstate(before_, nullptr); }

bool MpiTransport::let_go(std::span<Pending> pending, bool cancel) noexcept {
  if (std::ranges::all_of(pending, &Pending::is_none)) return false;
  const Uncancelled uncancelled;
  bool left_over = false;
  for (Pending& one : pending) {
    if (one.is_none()) continue;
    MPI_Request request = request_of(one);
    if (cancel) PMPI_Cancel(&request);
    PMPI_Request_free(&request);
    one = {};
    left_over = true;
  }
  return left_over;
}

void MpiTransport::outlive(std::shared_ptr<void> memory, Pending& receive) noexcept {
  const Uncancelled uncancelled;
  ours_.late().add(std::move(memory), request_of(receive));
  receive = {};
}

void MpiTransport::send_off(std::shared_ptr<void> memory, int bytes, int to, unsigned stream) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(PMPI_Isend(memory.get(), bytes, MPI_BYTE, to, tag(stream), ours_.communicator(), &request));
  const Uncancelled uncancelled;
  ours_.late().add(std::move(memory), request);
}

}  // namespace trunkline::runtime
