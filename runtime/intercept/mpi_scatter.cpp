// SPDX-License-Identifier: Apache-2.0
// MPI_Scatter at MPI's edge: its arguments, and its native form; and of those that do not block.
#include "intercept/entry.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/root_shares.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

namespace {

int native_scatter(const RootShareArguments& a) {
  return NEXT(Scatter)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                       static_cast<int>(a.receive_count), a.receive_type, a.root, a.communicator);
}
int start_scatter(const RootShareArguments& a, MPI_Request* request) {
  return NEXT(Iscatter)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                        static_cast<int>(a.receive_count), a.receive_type, a.root, a.communicator, request);
}
#if TRUNKLINE_HAS_PERSISTENT
int init_scatter(const RootShareArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Scatter_init)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                            static_cast<int>(a.receive_count), a.receive_type, a.root, a.communicator, info, request);
}
#endif
#if TRUNKLINE_HAS_LARGE_COUNTS
int native_scatter_c(const RootShareArguments& a) {
  return NEXT(Scatter_c)(a.send, a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type, a.root,
                         a.communicator);
}
int start_scatter_c(const RootShareArguments& a, MPI_Request* request) {
  return NEXT(Iscatter_c)(a.send, a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type, a.root,
                          a.communicator, request);
}
int init_scatter_c(const RootShareArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Scatter_init_c)(a.send, a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type, a.root,
                              a.communicator, info, request);
}
#endif

}  // namespace

TRUNKLINE_EXPORT int MPI_Scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                 int receive_count, MPI_Datatype receive_type, int root, MPI_Comm communicator) {
  return enter<RootShareCall>(Collective::scatter, native_scatter,
                              {send, send_count, send_type, receive, receive_count, receive_type, root, communicator});
}

TRUNKLINE_EXPORT int MPI_Iscatter(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                  int receive_count, MPI_Datatype receive_type, int root, MPI_Comm communicator,
                                  MPI_Request* request) {
  return enter_nonblocking<RootShareCall>(
      Collective::scatter, native_scatter, start_scatter,
      {send, send_count, send_type, receive, receive_count, receive_type, root, communicator}, request);
}

#if TRUNKLINE_HAS_PERSISTENT
TRUNKLINE_EXPORT int MPI_Scatter_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                      int receive_count, MPI_Datatype receive_type, int root, MPI_Comm communicator,
                                      MPI_Info info, MPI_Request* request) {
  return enter_persistent<RootShareCall>(
      Collective::scatter, native_scatter, init_scatter,
      {send, send_count, send_type, receive, receive_count, receive_type, root, communicator}, info, request);
}
#endif

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Scatter_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                   MPI_Count receive_count, MPI_Datatype receive_type, int root,
                                   MPI_Comm communicator) {
  return enter<RootShareCall>(Collective::scatter, native_scatter_c,
                              {send, send_count, send_type, receive, receive_count, receive_type, root, communicator});
}

TRUNKLINE_EXPORT int MPI_Iscatter_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                    MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm communicator,
                                    MPI_Request* request) {
  return enter_nonblocking<RootShareCall>(
      Collective::scatter, native_scatter_c, start_scatter_c,
      {send, send_count, send_type, receive, receive_count, receive_type, root, communicator}, request);
}

TRUNKLINE_EXPORT int MPI_Scatter_init_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                        MPI_Count receive_count, MPI_Datatype receive_type, int root,
                                        MPI_Comm communicator, MPI_Info info, MPI_Request* request) {
  return enter_persistent<RootShareCall>(
      Collective::scatter, native_scatter_c, init_scatter_c,
      {send, send_count, send_type, receive, receive_count, receive_type, root, communicator}, info, request);
}
#endif
