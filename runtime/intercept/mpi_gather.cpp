// SPDX-License-Identifier: Apache-2.0
// MPI_Gather at MPI's edge: its arguments, and its native form; and of those that do not block.
#include "intercept/entry.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/root_shares.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

namespace {

int native_gather(const RootShareArguments& a) {
  return NEXT(Gather)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive, static_cast<int>(a.receive_count),
                      a.receive_type, a.root, a.communicator);
}
int start_gather(const RootShareArguments& a, MPI_Request* request) {
  return NEXT(Igather)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                       static_cast<int>(a.receive_count), a.receive_type, a.root, a.communicator, request);
}
#if TRUNKLINE_HAS_PERSISTENT
int init_gather(const RootShareArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Gather_init)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                           static_cast<int>(a.receive_count), a.receive_type, a.root, a.communicator, info, request);
}
#endif
#if TRUNKLINE_HAS_LARGE_COUNTS
int native_gather_c(const RootShareArguments& a) {
  return NEXT(Gather_c)(a.send, a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type, a.root,
                        a.communicator);
}
int start_gather_c(const RootShareArguments& a, MPI_Request* request) {
  return NEXT(Igather_c)(a.send, a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type, a.root,
                         a.communicator, request);
}
int init_gather_c(const RootShareArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Gather_init_c)(a.send, a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type, a.root,
                             a.communicator, info, request);
}
#endif

}  // namespace

TRUNKLINE_EXPORT int MPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                int receive_count, MPI_Datatype receive_type, int root, MPI_Comm communicator) {
  return enter<RootShareCall>(Collective::gather, native_gather,
                              {send, send_count, send_type, receive, receive_count, receive_type, root, communicator});
}

TRUNKLINE_EXPORT int MPI_Igather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                 int receive_count, MPI_Datatype receive_type, int root, MPI_Comm communicator,
                                 MPI_Request* request) {
  return enter_nonblocking<RootShareCall>(
      Collective::gather, native_gather, start_gather,
      {send, send_count, send_type, receive, receive_count, receive_type, root, communicator}, request);
}

#if TRUNKLINE_HAS_PERSISTENT
TRUNKLINE_EXPORT int MPI_Gather_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                     int receive_count, MPI_Datatype receive_type, int root, MPI_Comm communicator,
                                     MPI_Info info, MPI_Request* request) {
  return enter_persistent<RootShareCall>(
      Collective::gather, native_gather, init_gather,
      {send, send_count, send_type, receive, receive_count, receive_type, root, communicator}, info, request);
}
#endif

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Gather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                  MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm communicator) {
  return enter<RootShareCall>(Collective::gather, native_gather_c,
                              {send, send_count, send_type, receive, receive_count, receive_type, root, communicator});
}

TRUNKLINE_EXPORT int MPI_Igather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                   MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm communicator,
                                   MPI_Request* request) {
  return enter_nonblocking<RootShareCall>(
      Collective::gather, native_gather_c, start_gather_c,
      {send, send_count, send_type, receive, receive_count, receive_type, root, communicator}, request);
}

TRUNKLINE_EXPORT int MPI_Gather_init_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                       MPI_Count receive_count, MPI_Datatype receive_type, int root,
                                       MPI_Comm communicator, MPI_Info info, MPI_Request* request) {
  return enter_persistent<RootShareCall>(
      Collective::gather, native_gather_c, init_gather_c,
      {send, send_count, send_type, receive, receive_count, receive_type, root, communicator}, info, request);
}
#endif
