// SPDX-License-Identifier: Apache-2.0
// MPI_Reduce_scatter at MPI's edge: its arguments, and its native form.
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/reduce_shares.hpp"
#include "intercept/state.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Reduce_scatter(const void* send, void* receive, const int counts[], MPI_Datatype type,
                                        MPI_Op operation, MPI_Comm communicator) {
  if (!watching.load(std::memory_order_relaxed)) {
    last_run(Collective::reduce_scatter) = {};
    return NEXT(Reduce_scatter)(send, receive, counts, type, operation, communicator);
  }
  return run(ReduceShares(
      Collective::reduce_scatter, {send, receive, {.counts = counts, .by_rank = true}, type, operation, communicator},
      [](const ReduceSharesArguments& a) {
        return NEXT(Reduce_scatter)(a.send, a.receive, a.shares.counts, a.type, a.operation, a.communicator);
      }));
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Reduce_scatter_c(const void* send, void* receive, const MPI_Count counts[], MPI_Datatype type,
                                          MPI_Op operation, MPI_Comm communicator) {
  if (!watching.load(std::memory_order_relaxed)) {
    last_run(Collective::reduce_scatter) = {};
    return NEXT(Reduce_scatter_c)(send, receive, counts, type, operation, communicator);
  }
  return run(ReduceShares(Collective::reduce_scatter,
                          {send, receive, {.long_counts = counts, .by_rank = true}, type, operation, communicator},
                          [](const ReduceSharesArguments& a) {
                            return NEXT(Reduce_scatter_c)(a.send, a.receive, a.shares.long_counts, a.type, a.operation,
                                                          a.communicator);
                          }));
}
#endif
