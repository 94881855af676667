// SPDX-License-Identifier: Apache-2.0
// MPI_Allgatherv at MPI's edge: its arguments, and its native form.
#include "intercept/export.hpp"
#include "intercept/gather.hpp"
#include "intercept/next.hpp"
#include "intercept/state.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                    const int counts[], const int starts[], MPI_Datatype receive_type,
                                    MPI_Comm communicator) {
  if (!watching.load(std::memory_order_relaxed)) {
    last_run(Collective::allgatherv) = {};
    return NEXT(Allgatherv)(send, send_count, send_type, receive, counts, starts, receive_type, communicator);
  }
  return run(Gather(Collective::allgatherv,
                    {send,
                     send_count,
                     send_type,
                     receive,
                     {.counts = counts, .starts = starts, .by_rank = true},
                     receive_type,
                     communicator},
                    [](const GatherArguments& a) {
                      return NEXT(Allgatherv)(a.send, static_cast<int>(a.send_count), a.send_type, a.receive,
                                              a.shares.counts, a.shares.starts, a.receive_type, a.communicator);
                    }));
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Allgatherv_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* receive,
                                      const MPI_Count counts[], const MPI_Aint starts[], MPI_Datatype receive_type,
                                      MPI_Comm communicator) {
  if (!watching.load(std::memory_order_relaxed)) {
    last_run(Collective::allgatherv) = {};
    return NEXT(Allgatherv_c)(send, send_count, send_type, receive, counts, starts, receive_type, communicator);
  }
  return run(Gather(Collective::allgatherv,
                    {send,
                     send_count,
                     send_type,
                     receive,
                     {.long_counts = counts, .long_starts = starts, .by_rank = true},
                     receive_type,
                     communicator},
                    [](const GatherArguments& a) {
                      return NEXT(Allgatherv_c)(a.send, a.send_count, a.send_type, a.receive, a.shares.long_counts,
                                                a.shares.long_starts, a.receive_type, a.communicator);
                    }));
}
#endif
