// SPDX-License-Identifier: Apache-2.0
// MPI_Allgather at MPI's edge: its arguments, and its native form; and of those that do not block.
#include "intercept/entry.hpp"
#include "intercept/export.hpp"
#include "intercept/gather.hpp"
#include "intercept/next.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

namespace {

int native_allgather(const GatherArguments& a) {
  return NEXT(Allgather)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                         static_cast<int>(a.shares.each), a.receive_type, a.communicator);
}
int start_allgather(const GatherArguments& a, MPI_Request* request) {
  return NEXT(Iallgather)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                          static_cast<int>(a.shares.each), a.receive_type, a.communicator, request);
}
#if TRUNKLINE_HAS_PERSISTENT
int init_allgather(const GatherArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Allgather_init)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                              static_cast<int>(a.shares.each), a.receive_type, a.communicator, info, request);
}
#endif
#if TRUNKLINE_HAS_LARGE_COUNTS
int native_allgather_c(const GatherArguments& a) {
  return NEXT(Allgather_c)(a.send, a.send_count, a.send_type, a.receive, a.shares.each, a.receive_type, a.communicator);
}
int start_allgather_c(const GatherArguments& a, MPI_Request* request) {
  return NEXT(Iallgather_c)(a.send, a.send_count, a.send_type, a.receive, a.shares.each, a.receive_type, a.communicator,
                            request);
}
int init_allgather_c(const GatherArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Allgather_init_c)(a.send, a.send_count, a.send_type, a.receive, a.shares.each, a.receive_type,
                                a.communicator, info, request);
}
#endif

}  // namespace

TRUNKLINE_EXPORT int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                   int receive_count, MPI_Datatype receive_type, MPI_Comm communicator) {
  return enter<Gather>(Collective::allgather, native_allgather,
                       {send, send_count, send_type, receive, {.each = receive_count}, receive_type, communicator});
}

TRUNKLINE_EXPORT int MPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                    int receive_count, MPI_Datatype receive_type, MPI_Comm communicator,
                                    MPI_Request* request) {
  return enter_nonblocking<Gather>(
      Collective::allgather, native_allgather, start_allgather,
      {send, send_count, send_type, receive, {.each = receive_count}, receive_type, communicator}, request);
}

#if TRUNKLINE_HAS_PERSISTENT
TRUNKLINE_EXPORT int MPI_Allgather_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                        int receive_count, MPI_Datatype receive_type, MPI_Comm communicator,
                                        MPI_Info info, MPI_Request* request) {
  return enter_persistent<Gather>(
      Collective::allgather, native_allgather, init_allgather,
      {send, send_count, send_type, receive, {.each = receive_count}, receive_type, communicator}, info, request);
}
#endif

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Allgather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                     MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm communicator) {
  return enter<Gather>(Collective::allgather, native_allgather_c,
                       {send, send_count, send_type, receive, {.each = receive_count}, receive_type, communicator});
}

TRUNKLINE_EXPORT int MPI_Iallgather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                      MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm communicator,
                                      MPI_Request* request) {
  return enter_nonblocking<Gather>(
      Collective::allgather, native_allgather_c, start_allgather_c,
      {send, send_count, send_type, receive, {.each = receive_count}, receive_type, communicator}, request);
}

TRUNKLINE_EXPORT int MPI_Allgather_init_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                          MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm communicator,
                                          MPI_Info info, MPI_Request* request) {
  return enter_persistent<Gather>(
      Collective::allgather, native_allgather_c, init_allgather_c,
      {send, send_count, send_type, receive, {.each = receive_count}, receive_type, communicator}, info, request);
}
#endif
