// SPDX-License-Identifier: Apache-2.0
// MPI_Reduce_scatter_block at MPI's edge: its arguments, and its native form; and of those that do not block.
#include "intercept/entry.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/reduce_shares.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

namespace {

int native_reduce_scatter_block(const ReduceSharesArguments& a) {
  return NEXT(Reduce_scatter_block)(a.send, a.receive, static_cast<int>(a.shares.each), a.type, a.operation,
                                    a.communicator);
}
int start_reduce_scatter_block(const ReduceSharesArguments& a, MPI_Request* request) {
  return NEXT(Ireduce_scatter_block)(a.send, a.receive, static_cast<int>(a.shares.each), a.type, a.operation,
                                     a.communicator, request);
}
#if TRUNKLINE_HAS_PERSISTENT
int init_reduce_scatter_block(const ReduceSharesArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Reduce_scatter_block_init)(a.send, a.receive, static_cast<int>(a.shares.each), a.type, a.operation,
                                         a.communicator, info, request);
}
#endif
#if TRUNKLINE_HAS_LARGE_COUNTS
int native_reduce_scatter_block_c(const ReduceSharesArguments& a) {
  return NEXT(Reduce_scatter_block_c)(a.send, a.receive, a.shares.each, a.type, a.operation, a.communicator);
}
int start_reduce_scatter_block_c(const ReduceSharesArguments& a, MPI_Request* request) {
  return NEXT(Ireduce_scatter_block_c)(a.send, a.receive, a.shares.each, a.type, a.operation, a.communicator, request);
}
int init_reduce_scatter_block_c(const ReduceSharesArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Reduce_scatter_block_init_c)(a.send, a.receive, a.shares.each, a.type, a.operation, a.communicator, info,
                                           request);
}
#endif

}  // namespace

TRUNKLINE_EXPORT int MPI_Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type,
                                              MPI_Op operation, MPI_Comm communicator) {
  return enter<ReduceShares>(Collective::reduce_scatter_block, native_reduce_scatter_block,
                             {send, receive, {.each = count}, type, operation, communicator});
}

TRUNKLINE_EXPORT int MPI_Ireduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type,
                                               MPI_Op operation, MPI_Comm communicator, MPI_Request* request) {
  return enter_nonblocking<ReduceShares>(Collective::reduce_scatter_block, native_reduce_scatter_block,
                                         start_reduce_scatter_block,
                                         {send, receive, {.each = count}, type, operation, communicator}, request);
}

#if TRUNKLINE_HAS_PERSISTENT
TRUNKLINE_EXPORT int MPI_Reduce_scatter_block_init(const void* send, void* receive, int count, MPI_Datatype type,
                                                   MPI_Op operation, MPI_Comm communicator, MPI_Info info,
                                                   MPI_Request* request) {
  return enter_persistent<ReduceShares>(Collective::reduce_scatter_block, native_reduce_scatter_block,
                                        init_reduce_scatter_block,
                                        {send, receive, {.each = count}, type, operation, communicator}, info, request);
}
#endif

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Reduce_scatter_block_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                                                MPI_Op operation, MPI_Comm communicator) {
  return enter<ReduceShares>(Collective::reduce_scatter_block, native_reduce_scatter_block_c,
                             {send, receive, {.each = count}, type, operation, communicator});
}

TRUNKLINE_EXPORT int MPI_Ireduce_scatter_block_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                                                 MPI_Op operation, MPI_Comm communicator, MPI_Request* request) {
  return enter_nonblocking<ReduceShares>(Collective::reduce_scatter_block, native_reduce_scatter_block_c,
                                         start_reduce_scatter_block_c,
                                         {send, receive, {.each = count}, type, operation, communicator}, request);
}

TRUNKLINE_EXPORT int MPI_Reduce_scatter_block_init_c(const void* send, void* receive, MPI_Count count,
                                                     MPI_Datatype type, MPI_Op operation, MPI_Comm communicator,
                                                     MPI_Info info, MPI_Request* request) {
  return enter_persistent<ReduceShares>(Collective::reduce_scatter_block, native_reduce_scatter_block_c,
                                        init_reduce_scatter_block_c,
                                        {send, receive, {.each = count}, type, operation, communicator}, info, request);
}
#endif
