// SPDX-License-Identifier: Apache-2.0
// MPI_Gather at MPI's edge: its arguments, and its native form.
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/root_shares.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                int receive_count, MPI_Datatype receive_type, int root, MPI_Comm communicator) {
  const RootShareArguments given{send, send_count, send_type, receive, receive_count, receive_type, root, communicator};
  if (is_left_to_mpi(Collective::gather, given)) {
    last_run(Collective::gather) = {};
    return NEXT(Gather)(send, send_count, send_type, receive, receive_count, receive_type, root, communicator);
  }
  return run(RootShareCall(Collective::gather, given, [](const RootShareArguments& a) {
    return NEXT(Gather)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                        static_cast<int>(a.receive_count), a.receive_type, a.root, a.communicator);
  }));
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Gather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                  MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm communicator) {
  const RootShareArguments given{send, send_count, send_type, receive, receive_count, receive_type, root, communicator};
  if (is_left_to_mpi(Collective::gather, given)) {
    last_run(Collective::gather) = {};
    return NEXT(Gather_c)(send, send_count, send_type, receive, receive_count, receive_type, root, communicator);
  }
  return run(RootShareCall(Collective::gather, given, [](const RootShareArguments& a) {
    return NEXT(Gather_c)(a.send, a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type, a.root,
                          a.communicator);
  }));
}
#endif
