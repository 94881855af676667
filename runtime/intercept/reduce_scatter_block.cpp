// SPDX-License-Identifier: Apache-2.0
// MPI_Reduce_scatter_block at MPI's edge: its arguments, and its native form.
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/reduce_shares.hpp"
#include "intercept/short_calls.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type,
                                              MPI_Op operation, MPI_Comm communicator) {
  if (is_left_to_mpi_of_each(Collective::reduce_scatter_block, count, type)) {
    last_run(Collective::reduce_scatter_block) = {};
    return NEXT(Reduce_scatter_block)(send, receive, count, type, operation, communicator);
  }
  return run(ReduceShares(Collective::reduce_scatter_block,
                          {send, receive, {.each = count}, type, operation, communicator},
                          [](const ReduceSharesArguments& a) {
                            return NEXT(Reduce_scatter_block)(a.send, a.receive, static_cast<int>(a.shares.each),
                                                              a.type, a.operation, a.communicator);
                          }));
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Reduce_scatter_block_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                                                MPI_Op operation, MPI_Comm communicator) {
  if (is_left_to_mpi_of_each(Collective::reduce_scatter_block, count, type)) {
    last_run(Collective::reduce_scatter_block) = {};
    return NEXT(Reduce_scatter_block_c)(send, receive, count, type, operation, communicator);
  }
  return run(ReduceShares(
      Collective::reduce_scatter_block, {send, receive, {.each = count}, type, operation, communicator},
      [](const ReduceSharesArguments& a) {
        return NEXT(Reduce_scatter_block_c)(a.send, a.receive, a.shares.each, a.type, a.operation, a.communicator);
      }));
}
#endif
