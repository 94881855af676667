// SPDX-License-Identifier: Apache-2.0
// MPI_Allreduce at MPI's edge: its arguments, and its native form; and of those that do not block.
#include "intercept/entry.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/reduction.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

namespace {

int native_allreduce(const ReductionArguments& a) {
  return NEXT(Allreduce)(a.send, a.receive, static_cast<int>(a.count), a.type, a.operation, a.communicator);
}
int start_allreduce(const ReductionArguments& a, MPI_Request* request) {
  return NEXT(Iallreduce)(a.send, a.receive, static_cast<int>(a.count), a.type, a.operation, a.communicator, request);
}
#if TRUNKLINE_HAS_PERSISTENT
int init_allreduce(const ReductionArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Allreduce_init)(a.send, a.receive, static_cast<int>(a.count), a.type, a.operation, a.communicator, info,
                              request);
}
#endif
#if TRUNKLINE_HAS_LARGE_COUNTS
int native_allreduce_c(const ReductionArguments& a) {
  return NEXT(Allreduce_c)(a.send, a.receive, a.count, a.type, a.operation, a.communicator);
}
int start_allreduce_c(const ReductionArguments& a, MPI_Request* request) {
  return NEXT(Iallreduce_c)(a.send, a.receive, a.count, a.type, a.operation, a.communicator, request);
}
int init_allreduce_c(const ReductionArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Allreduce_init_c)(a.send, a.receive, a.count, a.type, a.operation, a.communicator, info, request);
}
#endif

}  // namespace

TRUNKLINE_EXPORT int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                                   MPI_Comm communicator) {
  return enter<Reduction>(Collective::allreduce, native_allreduce,
                          {send, receive, count, type, operation, 0, communicator});
}

TRUNKLINE_EXPORT int MPI_Iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                                    MPI_Comm communicator, MPI_Request* request) {
  return enter_nonblocking<Reduction>(Collective::allreduce, native_allreduce, start_allreduce,
                                      {send, receive, count, type, operation, 0, communicator}, request);
}

#if TRUNKLINE_HAS_PERSISTENT
TRUNKLINE_EXPORT int MPI_Allreduce_init(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                                        MPI_Comm communicator, MPI_Info info, MPI_Request* request) {
  return enter_persistent<Reduction>(Collective::allreduce, native_allreduce, init_allreduce,
                                     {send, receive, count, type, operation, 0, communicator}, info, request);
}
#endif

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Allreduce_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                                     MPI_Op operation, MPI_Comm communicator) {
  return enter<Reduction>(Collective::allreduce, native_allreduce_c,
                          {send, receive, count, type, operation, 0, communicator});
}

TRUNKLINE_EXPORT int MPI_Iallreduce_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                                      MPI_Op operation, MPI_Comm communicator, MPI_Request* request) {
  return enter_nonblocking<Reduction>(Collective::allreduce, native_allreduce_c, start_allreduce_c,
                                      {send, receive, count, type, operation, 0, communicator}, request);
}

TRUNKLINE_EXPORT int MPI_Allreduce_init_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                                          MPI_Op operation, MPI_Comm communicator, MPI_Info info,
                                          MPI_Request* request) {
  return enter_persistent<Reduction>(Collective::allreduce, native_allreduce_c, init_allreduce_c,
                                     {send, receive, count, type, operation, 0, communicator}, info, request);
}
#endif
