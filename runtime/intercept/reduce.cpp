// SPDX-License-Identifier: Apache-2.0
// MPI_Reduce at MPI's edge: its arguments, and its native form.
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/reduction.hpp"
#include "intercept/short_calls.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                                int root, MPI_Comm communicator) {
  if (is_left_to_mpi(Collective::reduce, count, type)) {
    last_run(Collective::reduce) = {};
    return NEXT(Reduce)(send, receive, count, type, operation, root, communicator);
  }
  return run(Reduction(
      Collective::reduce, {send, receive, count, type, operation, root, communicator}, [](const ReductionArguments& a) {
        return NEXT(Reduce)(a.send, a.receive, static_cast<int>(a.count), a.type, a.operation, a.root, a.communicator);
      }));
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Reduce_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type, MPI_Op operation,
                                  int root, MPI_Comm communicator) {
  if (is_left_to_mpi(Collective::reduce, count, type)) {
    last_run(Collective::reduce) = {};
    return NEXT(Reduce_c)(send, receive, count, type, operation, root, communicator);
  }
  return run(Reduction(Collective::reduce, {send, receive, count, type, operation, root, communicator},
                       [](const ReductionArguments& a) {
                         return NEXT(Reduce_c)(a.send, a.receive, a.count, a.type, a.operation, a.root, a.communicator);
                       }));
}
#endif
