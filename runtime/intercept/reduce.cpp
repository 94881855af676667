// SPDX-License-Identifier: Apache-2.0
// MPI_Reduce at MPI's edge: its arguments, and its native form; and of those that do not block.
#include "intercept/entry.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/reduction.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

namespace {

int native_reduce(const ReductionArguments& a) {
  return NEXT(Reduce)(a.send, a.receive, static_cast<int>(a.count), a.type, a.operation, a.root, a.communicator);
}
int start_reduce(const ReductionArguments& a, MPI_Request* request) {
  return NEXT(Ireduce)(a.send, a.receive, static_cast<int>(a.count), a.type, a.operation, a.root, a.communicator,
                       request);
}
#if TRUNKLINE_HAS_PERSISTENT
int init_reduce(const ReductionArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Reduce_init)(a.send, a.receive, static_cast<int>(a.count), a.type, a.operation, a.root, a.communicator,
                           info, request);
}
#endif
#if TRUNKLINE_HAS_LARGE_COUNTS
int native_reduce_c(const ReductionArguments& a) {
  return NEXT(Reduce_c)(a.send, a.receive, a.count, a.type, a.operation, a.root, a.communicator);
}
int start_reduce_c(const ReductionArguments& a, MPI_Request* request) {
  return NEXT(Ireduce_c)(a.send, a.receive, a.count, a.type, a.operation, a.root, a.communicator, request);
}
int init_reduce_c(const ReductionArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Reduce_init_c)(a.send, a.receive, a.count, a.type, a.operation, a.root, a.communicator, info, request);
}
#endif

}  // namespace

TRUNKLINE_EXPORT int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                                int root, MPI_Comm communicator) {
  return enter<Reduction>(Collective::reduce, native_reduce,
                          {send, receive, count, type, operation, root, communicator});
}

TRUNKLINE_EXPORT int MPI_Ireduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                                 int root, MPI_Comm communicator, MPI_Request* request) {
  return enter_nonblocking<Reduction>(Collective::reduce, native_reduce, start_reduce,
                                      {send, receive, count, type, operation, root, communicator}, request);
}

#if TRUNKLINE_HAS_PERSISTENT
TRUNKLINE_EXPORT int MPI_Reduce_init(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                                     int root, MPI_Comm communicator, MPI_Info info, MPI_Request* request) {
  return enter_persistent<Reduction>(Collective::reduce, native_reduce, init_reduce,
                                     {send, receive, count, type, operation, root, communicator}, info, request);
}
#endif

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Reduce_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type, MPI_Op operation,
                                  int root, MPI_Comm communicator) {
  return enter<Reduction>(Collective::reduce, native_reduce_c,
                          {send, receive, count, type, operation, root, communicator});
}

TRUNKLINE_EXPORT int MPI_Ireduce_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                                   MPI_Op operation, int root, MPI_Comm communicator, MPI_Request* request) {
  return enter_nonblocking<Reduction>(Collective::reduce, native_reduce_c, start_reduce_c,
                                      {send, receive, count, type, operation, root, communicator}, request);
}

TRUNKLINE_EXPORT int MPI_Reduce_init_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                                       MPI_Op operation, int root, MPI_Comm communicator, MPI_Info info,
                                       MPI_Request* request) {
  return enter_persistent<Reduction>(Collective::reduce, native_reduce_c, init_reduce_c,
                                     {send, receive, count, type, operation, root, communicator}, info, request);
}
#endif
