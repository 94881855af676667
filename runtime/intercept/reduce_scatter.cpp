// SPDX-License-Identifier: Apache-2.0
// MPI_Reduce_scatter at MPI's edge: its arguments, and its native form; and of those that do not block.
#include "intercept/entry.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/reduce_shares.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

namespace {

int native_reduce_scatter(const ReduceSharesArguments& a) {
  return NEXT(Reduce_scatter)(a.send, a.receive, a.shares.counts, a.type, a.operation, a.communicator);
}
int start_reduce_scatter(const ReduceSharesArguments& a, MPI_Request* request) {
  return NEXT(Ireduce_scatter)(a.send, a.receive, a.shares.counts, a.type, a.operation, a.communicator, request);
}
#if TRUNKLINE_HAS_PERSISTENT
int init_reduce_scatter(const ReduceSharesArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Reduce_scatter_init)(a.send, a.receive, a.shares.counts, a.type, a.operation, a.communicator, info,
                                   request);
}
#endif
#if TRUNKLINE_HAS_LARGE_COUNTS
int native_reduce_scatter_c(const ReduceSharesArguments& a) {
  return NEXT(Reduce_scatter_c)(a.send, a.receive, a.shares.long_counts, a.type, a.operation, a.communicator);
}
int start_reduce_scatter_c(const ReduceSharesArguments& a, MPI_Request* request) {
  return NEXT(Ireduce_scatter_c)(a.send, a.receive, a.shares.long_counts, a.type, a.operation, a.communicator, request);
}
int init_reduce_scatter_c(const ReduceSharesArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Reduce_scatter_init_c)(a.send, a.receive, a.shares.long_counts, a.type, a.operation, a.communicator, info,
                                     request);
}
#endif

}  // namespace

TRUNKLINE_EXPORT int MPI_Reduce_scatter(const void* send, void* receive, const int counts[], MPI_Datatype type,
                                        MPI_Op operation, MPI_Comm communicator) {
  return enter<ReduceShares>(Collective::reduce_scatter, native_reduce_scatter,
                             {send, receive, shares_of(counts), type, operation, communicator});
}

TRUNKLINE_EXPORT int MPI_Ireduce_scatter(const void* send, void* receive, const int counts[], MPI_Datatype type,
                                         MPI_Op operation, MPI_Comm communicator, MPI_Request* request) {
  return enter_nonblocking<ReduceShares>(Collective::reduce_scatter, native_reduce_scatter, start_reduce_scatter,
                                         {send, receive, shares_of(counts), type, operation, communicator}, request);
}

#if TRUNKLINE_HAS_PERSISTENT
TRUNKLINE_EXPORT int MPI_Reduce_scatter_init(const void* send, void* receive, const int counts[], MPI_Datatype type,
                                             MPI_Op operation, MPI_Comm communicator, MPI_Info info,
                                             MPI_Request* request) {
  return enter_persistent<ReduceShares>(Collective::reduce_scatter, native_reduce_scatter, init_reduce_scatter,
                                        {send, receive, shares_of(counts), type, operation, communicator}, info,
                                        request);
}
#endif

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Reduce_scatter_c(const void* send, void* receive, const MPI_Count counts[], MPI_Datatype type,
                                          MPI_Op operation, MPI_Comm communicator) {
  return enter<ReduceShares>(Collective::reduce_scatter, native_reduce_scatter_c,
                             {send, receive, shares_of(counts), type, operation, communicator});
}

TRUNKLINE_EXPORT int MPI_Ireduce_scatter_c(const void* send, void* receive, const MPI_Count counts[], MPI_Datatype type,
                                           MPI_Op operation, MPI_Comm communicator, MPI_Request* request) {
  return enter_nonblocking<ReduceShares>(Collective::reduce_scatter, native_reduce_scatter_c, start_reduce_scatter_c,
                                         {send, receive, shares_of(counts), type, operation, communicator}, request);
}

TRUNKLINE_EXPORT int MPI_Reduce_scatter_init_c(const void* send, void* receive, const MPI_Count counts[],
                                               MPI_Datatype type, MPI_Op operation, MPI_Comm communicator,
                                               MPI_Info info, MPI_Request* request) {
  return enter_persistent<ReduceShares>(Collective::reduce_scatter, native_reduce_scatter_c, init_reduce_scatter_c,
                                        {send, receive, shares_of(counts), type, operation, communicator}, info,
                                        request);
}
#endif
