// SPDX-License-Identifier: Apache-2.0
// MPI_Allreduce at MPI's edge: its arguments, and its native form.
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/reduction.hpp"
#include "intercept/short_calls.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                                   MPI_Comm communicator) {
  if (is_left_to_mpi(Collective::allreduce, count, type)) {
    last_run(Collective::allreduce) = {};
    return NEXT(Allreduce)(send, receive, count, type, operation, communicator);
  }
  return run(Reduction(
      Collective::allreduce, {send, receive, count, type, operation, 0, communicator}, [](const ReductionArguments& a) {
        return NEXT(Allreduce)(a.send, a.receive, static_cast<int>(a.count), a.type, a.operation, a.communicator);
      }));
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Allreduce_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                                     MPI_Op operation, MPI_Comm communicator) {
  if (is_left_to_mpi(Collective::allreduce, count, type)) {
    last_run(Collective::allreduce) = {};
    return NEXT(Allreduce_c)(send, receive, count, type, operation, communicator);
  }
  return run(Reduction(Collective::allreduce, {send, receive, count, type, operation, 0, communicator},
                       [](const ReductionArguments& a) {
                         return NEXT(Allreduce_c)(a.send, a.receive, a.count, a.type, a.operation, a.communicator);
                       }));
}
#endif
