// SPDX-License-Identifier: Apache-2.0
// What a pending message of a transport over MPI is: a request of MPI's.
#pragma once

#include <cstdint>
#include <type_traits>

#include "mpi_api.hpp"
#include "transport/looks.hpp"
#include "transport/transport.hpp"

namespace trunkline::runtime {

/// MPI's requests are pointers in some libraries, and numbers in others.
template <class Request>
[[nodiscard]] Request from_word(std::uintptr_t word) {
  if constexpr (std::is_pointer_v<Request>) {
    return reinterpret_cast<Request>(word);
  } else {
    return static_cast<Request>(word);
  }
}

template <class Request>
[[nodiscard]] std::uintptr_t to_word(Request request) {
  if constexpr (std::is_pointer_v<Request>) {
    return reinterpret_cast<std::uintptr_t>(request);
  } else {
    return static_cast<std::uintptr_t>(request);
  }
}

[[nodiscard]] inline MPI_Request request_of(const Pending& pending) {
  return pending.is_none() ? MPI_REQUEST_NULL : from_word<MPI_Request>(pending.word);
}

inline void keep(Pending& pending, MPI_Request request) {
  pending.word = request == MPI_REQUEST_NULL ? 0 : to_word(request);
}

/// Whether a message is over; once it is, it is none. MPICH's MPI_Test looks for what has come before it answers, also
/// where the request has long been over: a system call for each segment. Its MPI_Request_get_status answers first. That
/// of SMPI says of every request that it is over.
[[nodiscard]] inline bool is_over(Pending& pending, MPI_Status& status) {
  MPI_Request request = request_of(pending);
  int over = 0;
#if defined(OPEN_MPI) || defined(TRUNKLINE_SIMULATED)
  const Looks looks;
  const int code = PMPI_Test(&request, &over, &status);
  keep(pending, request);  // also after an error, which the library frees the request with
  check(code);
#else
  if (!may_be_tested(request)) return false;
  check(PMPI_Request_get_status(request, &over, MPI_STATUS_IGNORE));
  if (over == 0) return false;
  const int code = PMPI_Wait(&request, &status);
  keep(pending, request);
  check(code);
#endif
  return over != 0;
}

}  // namespace trunkline::runtime
