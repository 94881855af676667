// SPDX-License-Identifier: Apache-2.0
// The program's waits under MPICH, by tests. With MPI_THREAD_MULTIPLE MPICH does not call us back: a thread of ours
// goes on with calls then, but a rank that waits holds MPICH's lock nearly all the time, so it goes on by itself.
// From 5.0 on MPICH calls us back where we may not look for ranks that are wrong: here we may. And MPI_Waitall ends the
// job where a generalized request that is not complete stands beside MPI_REQUEST_NULL. Open MPI needs none of this.
#include "mpi_api.hpp"

#ifndef OPEN_MPI

#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/under_way.hpp"
#include "transport/yields.hpp"

using namespace trunkline::runtime;

namespace {

bool must_wait_by_tests() {
#if defined(MPICH_NUMVERSION) && !defined(MPI_ABI)
  if (MPICH_NUMVERSION >= 50000000) return are_calls_under_way();
#endif
  return must_go_on_with_calls();
}

/// Until `test` says that all is over that is waited for, or returns another code than MPI_SUCCESS.
int wait_by(const auto& test) {
  constexpr unsigned between = 64;
  int is_over = 0;
  for (unsigned turn = 1;; ++turn) {
    if (turn % between == 0 || must_go_on_with_calls()) go_on_with_calls();
    const int code = test(&is_over);
    if (code != MPI_SUCCESS || is_over != 0) return code;
    yield_in_turn();
  }
}

}  // namespace

TRUNKLINE_EXPORT int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (!must_wait_by_tests()) return NEXT(Wait)(request, status);
  return wait_by([&](int* is_over) { return NEXT(Test)(request, is_over, status); });
}

TRUNKLINE_EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  if (!are_calls_under_way()) return NEXT(Waitall)(count, requests, statuses);
  return wait_by([&](int* is_over) { return NEXT(Testall)(count, requests, is_over, statuses); });
}

TRUNKLINE_EXPORT int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  if (!must_wait_by_tests()) return NEXT(Waitany)(count, requests, index, status);
  return wait_by([&](int* is_over) {
    const int code = NEXT(Testany)(count, requests, index, is_over, status);
    if (code != MPI_SUCCESS || *is_over == 0 || *index != MPI_UNDEFINED) return code;
    // Where none is active MPI_Waitany empties the status, and MPI_Testany need not have.
    MPI_Request none = MPI_REQUEST_NULL;
    return PMPI_Test(&none, is_over, status);
  });
}

TRUNKLINE_EXPORT int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  if (!must_wait_by_tests()) return NEXT(Waitsome)(count, requests, done, indices, statuses);
  return wait_by([&](int* is_over) {
    const int code = NEXT(Testsome)(count, requests, done, indices, statuses);
    *is_over = code == MPI_SUCCESS && *done != 0 ? 1 : 0;  // MPI_UNDEFINED: none is active
    return code;
  });
}

#endif
