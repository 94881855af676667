// SPDX-License-Identifier: Apache-2.0
// MPI_Alltoall at MPI's edge: its arguments, and its native form.
#include "intercept/exchange.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/short_calls.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                  int receive_count, MPI_Datatype receive_type, MPI_Comm communicator) {
  if (is_left_to_mpi(Collective::alltoall, receive_count, receive_type)) {
    last_run(Collective::alltoall) = {};
    return NEXT(Alltoall)(send, send_count, send_type, receive, receive_count, receive_type, communicator);
  }
  return run(Exchange({send, send_count, send_type, receive, receive_count, receive_type, communicator},
                      [](const ExchangeArguments& a) {
                        return NEXT(Alltoall)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                                              static_cast<int>(a.receive_count), a.receive_type, a.communicator);
                      }));
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Alltoall_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                    MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm communicator) {
  if (is_left_to_mpi(Collective::alltoall, receive_count, receive_type)) {
    last_run(Collective::alltoall) = {};
    return NEXT(Alltoall_c)(send, send_count, send_type, receive, receive_count, receive_type, communicator);
  }
  return run(Exchange({send, send_count, send_type, receive, receive_count, receive_type, communicator},
                      [](const ExchangeArguments& a) {
                        return NEXT(Alltoall_c)(a.send, a.send_count, a.send_type, a.receive, a.receive_count,
                                                a.receive_type, a.communicator);
                      }));
}
#endif
