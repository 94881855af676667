// SPDX-License-Identifier: Apache-2.0
// MPI_Allgatherv at MPI's edge: its arguments, and its native form; and of those that do not block.
#include "intercept/entry.hpp"
#include "intercept/export.hpp"
#include "intercept/gather.hpp"
#include "intercept/next.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

namespace {

int native_allgatherv(const GatherArguments& a) {
  return NEXT(Allgatherv)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive, a.shares.counts,
                          a.shares.starts, a.receive_type, a.communicator);
}
int start_allgatherv(const GatherArguments& a, MPI_Request* request) {
  return NEXT(Iallgatherv)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive, a.shares.counts,
                           a.shares.starts, a.receive_type, a.communicator, request);
}
#if TRUNKLINE_HAS_PERSISTENT
int init_allgatherv(const GatherArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Allgatherv_init)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive, a.shares.counts,
                               a.shares.starts, a.receive_type, a.communicator, info, request);
}
#endif
#if TRUNKLINE_HAS_LARGE_COUNTS
int native_allgatherv_c(const GatherArguments& a) {
  return NEXT(Allgatherv_c)(a.send, a.send_count, a.send_type, a.receive, a.shares.long_counts, a.shares.long_starts,
                            a.receive_type, a.communicator);
}
int start_allgatherv_c(const GatherArguments& a, MPI_Request* request) {
  return NEXT(Iallgatherv_c)(a.send, a.send_count, a.send_type, a.receive, a.shares.long_counts, a.shares.long_starts,
                             a.receive_type, a.communicator, request);
}
int init_allgatherv_c(const GatherArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Allgatherv_init_c)(a.send, a.send_count, a.send_type, a.receive, a.shares.long_counts,
                                 a.shares.long_starts, a.receive_type, a.communicator, info, request);
}
#endif

}  // namespace

TRUNKLINE_EXPORT int MPI_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                    const int counts[], const int starts[], MPI_Datatype receive_type,
                                    MPI_Comm communicator) {
  return enter<Gather>(Collective::allgatherv, native_allgatherv,
                       {send, send_count, send_type, receive, shares_of(counts, starts), receive_type, communicator});
}

TRUNKLINE_EXPORT int MPI_Iallgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                     const int counts[], const int starts[], MPI_Datatype receive_type,
                                     MPI_Comm communicator, MPI_Request* request) {
  return enter_nonblocking<Gather>(
      Collective::allgatherv, native_allgatherv, start_allgatherv,
      {send, send_count, send_type, receive, shares_of(counts, starts), receive_type, communicator}, request);
}

#if TRUNKLINE_HAS_PERSISTENT
TRUNKLINE_EXPORT int MPI_Allgatherv_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                         const int counts[], const int starts[], MPI_Datatype receive_type,
                                         MPI_Comm communicator, MPI_Info info, MPI_Request* request) {
  return enter_persistent<Gather>(
      Collective::allgatherv, native_allgatherv, init_allgatherv,
      {send, send_count, send_type, receive, shares_of(counts, starts), receive_type, communicator}, info, request);
}
#endif

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Allgatherv_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                      const MPI_Count counts[], const MPI_Aint starts[], MPI_Datatype receive_type,
                                      MPI_Comm communicator) {
  return enter<Gather>(Collective::allgatherv, native_allgatherv_c,
                       {send, send_count, send_type, receive, shares_of(counts, starts), receive_type, communicator});
}

TRUNKLINE_EXPORT int MPI_Iallgatherv_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                       const MPI_Count counts[], const MPI_Aint starts[], MPI_Datatype receive_type,
                                       MPI_Comm communicator, MPI_Request* request) {
  return enter_nonblocking<Gather>(
      Collective::allgatherv, native_allgatherv_c, start_allgatherv_c,
      {send, send_count, send_type, receive, shares_of(counts, starts), receive_type, communicator}, request);
}

TRUNKLINE_EXPORT int MPI_Allgatherv_init_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                           void* receive, const MPI_Count counts[], const MPI_Aint starts[],
                                           MPI_Datatype receive_type, MPI_Comm communicator, MPI_Info info,
                                           MPI_Request* request) {
  return enter_persistent<Gather>(
      Collective::allgatherv, native_allgatherv_c, init_allgatherv_c,
      {send, send_count, send_type, receive, shares_of(counts, starts), receive_type, communicator}, info, request);
}
#endif
