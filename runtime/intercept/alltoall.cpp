// SPDX-License-Identifier: Apache-2.0
// MPI_Alltoall at MPI's edge: its arguments, and its native form; and of those that do not block.
#include "intercept/entry.hpp"
#include "intercept/exchange.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

namespace {

int native_alltoall(const ExchangeArguments& a) {
  return NEXT(Alltoall)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                        static_cast<int>(a.receive_count), a.receive_type, a.communicator);
}
int start_alltoall(const ExchangeArguments& a, MPI_Request* request) {
  return NEXT(Ialltoall)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                         static_cast<int>(a.receive_count), a.receive_type, a.communicator, request);
}
#if TRUNKLINE_HAS_PERSISTENT
int init_alltoall(const ExchangeArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Alltoall_init)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                             static_cast<int>(a.receive_count), a.receive_type, a.communicator, info, request);
}
#endif
#if TRUNKLINE_HAS_LARGE_COUNTS
int native_alltoall_c(const ExchangeArguments& a) {
  return NEXT(Alltoall_c)(a.send, a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type,
                          a.communicator);
}
int start_alltoall_c(const ExchangeArguments& a, MPI_Request* request) {
  return NEXT(Ialltoall_c)(a.send, a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type,
                           a.communicator, request);
}
int init_alltoall_c(const ExchangeArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Alltoall_init_c)(a.send, a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type,
                               a.communicator, info, request);
}
#endif

}  // namespace

TRUNKLINE_EXPORT int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                  int receive_count, MPI_Datatype receive_type, MPI_Comm communicator) {
  return enter<Exchange>(Collective::alltoall, native_alltoall,
                         {send, send_count, send_type, receive, receive_count, receive_type, communicator});
}

TRUNKLINE_EXPORT int MPI_Ialltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                   int receive_count, MPI_Datatype receive_type, MPI_Comm communicator,
                                   MPI_Request* request) {
  return enter_nonblocking<Exchange>(Collective::alltoall, native_alltoall, start_alltoall,
                                     {send, send_count, send_type, receive, receive_count, receive_type, communicator},
                                     request);
}

#if TRUNKLINE_HAS_PERSISTENT
TRUNKLINE_EXPORT int MPI_Alltoall_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                       int receive_count, MPI_Datatype receive_type, MPI_Comm communicator,
                                       MPI_Info info, MPI_Request* request) {
  return enter_persistent<Exchange>(Collective::alltoall, native_alltoall, init_alltoall,
                                    {send, send_count, send_type, receive, receive_count, receive_type, communicator},
                                    info, request);
}
#endif

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Alltoall_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                    MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm communicator) {
  return enter<Exchange>(Collective::alltoall, native_alltoall_c,
                         {send, send_count, send_type, receive, receive_count, receive_type, communicator});
}

TRUNKLINE_EXPORT int MPI_Ialltoall_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                     MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm communicator,
                                     MPI_Request* request) {
  return enter_nonblocking<Exchange>(Collective::alltoall, native_alltoall_c, start_alltoall_c,
                                     {send, send_count, send_type, receive, receive_count, receive_type, communicator},
                                     request);
}

TRUNKLINE_EXPORT int MPI_Alltoall_init_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                         MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm communicator,
                                         MPI_Info info, MPI_Request* request) {
  return enter_persistent<Exchange>(Collective::alltoall, native_alltoall_c, init_alltoall_c,
                                    {send, send_count, send_type, receive, receive_count, receive_type, communicator},
                                    info, request);
}
#endif
