// SPDX-License-Identifier: Apache-2.0
// MPI_Scatter at MPI's edge: its arguments, and its native form.
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/root_shares.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                 int receive_count, MPI_Datatype receive_type, int root, MPI_Comm communicator) {
  const RootShareArguments given{send, send_count, send_type, receive, receive_count, receive_type, root, communicator};
  if (is_left_to_mpi(Collective::scatter, given)) {
    last_run(Collective::scatter) = {};
    return NEXT(Scatter)(send, send_count, send_type, receive, receive_count, receive_type, root, communicator);
  }
  return run(RootShareCall(Collective::scatter, given, [](const RootShareArguments& a) {
    return NEXT(Scatter)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                         static_cast<int>(a.receive_count), a.receive_type, a.root, a.communicator);
  }));
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Scatter_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                   MPI_Count receive_count, MPI_Datatype receive_type, int root,
                                   MPI_Comm communicator) {
  const RootShareArguments given{send, send_count, send_type, receive, receive_count, receive_type, root, communicator};
  if (is_left_to_mpi(Collective::scatter, given)) {
    last_run(Collective::scatter) = {};
    return NEXT(Scatter_c)(send, send_count, send_type, receive, receive_count, receive_type, root, communicator);
  }
  return run(RootShareCall(Collective::scatter, given, [](const RootShareArguments& a) {
    return NEXT(Scatter_c)(a.send, a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type, a.root,
                           a.communicator);
  }));
}
#endif
