// SPDX-License-Identifier: Apache-2.0
// MPI_Allgather at MPI's edge: its arguments, and its native form.
#include "intercept/export.hpp"
#include "intercept/gather.hpp"
#include "intercept/next.hpp"
#include "intercept/short_calls.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                   int receive_count, MPI_Datatype receive_type, MPI_Comm communicator) {
  if (is_left_to_mpi_of_each(Collective::allgather, receive_count, receive_type)) {
    last_run(Collective::allgather) = {};
    return NEXT(Allgather)(send, send_count, send_type, receive, receive_count, receive_type, communicator);
  }
  return run(Gather(Collective::allgather,
                    {send, send_count, send_type, receive, {.each = receive_count}, receive_type, communicator},
                    [](const GatherArguments& a) {
                      return NEXT(Allgather)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                                             static_cast<int>(a.shares.each), a.receive_type, a.communicator);
                    }));
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Allgather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                     MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm communicator) {
  if (is_left_to_mpi_of_each(Collective::allgather, receive_count, receive_type)) {
    last_run(Collective::allgather) = {};
    return NEXT(Allgather_c)(send, send_count, send_type, receive, receive_count, receive_type, communicator);
  }
  return run(Gather(Collective::allgather,
                    {send, send_count, send_type, receive, {.each = receive_count}, receive_type, communicator},
                    [](const GatherArguments& a) {
                      return NEXT(Allgather_c)(a.send, a.send_count, a.send_type, a.receive, a.shares.each,
                                               a.receive_type, a.communicator);
                    }));
}
#endif
