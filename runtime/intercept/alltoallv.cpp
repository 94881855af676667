// SPDX-License-Identifier: Apache-2.0
// MPI_Alltoallv at MPI's edge: its arguments, and its native form.
#include "intercept/entry.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/vector_exchange.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

namespace {

int native_alltoallv(const VectorExchangeArguments& a) {
  return NEXT(Alltoallv)(a.send.buffer, a.send.blocks.counts, a.send.blocks.starts, a.send.type,
                         const_cast<void*>(a.receive.buffer), a.receive.blocks.counts, a.receive.blocks.starts,
                         a.receive.type, a.communicator);
}
#if TRUNKLINE_HAS_LARGE_COUNTS
int native_alltoallv_c(const VectorExchangeArguments& a) {
  return NEXT(Alltoallv_c)(a.send.buffer, a.send.blocks.long_counts, a.send.blocks.long_starts, a.send.type,
                           const_cast<void*>(a.receive.buffer), a.receive.blocks.long_counts,
                           a.receive.blocks.long_starts, a.receive.type, a.communicator);
}
#endif

}  // namespace

TRUNKLINE_EXPORT int MPI_Alltoallv(const void* send, const int send_counts[], const int send_starts[],
                                   MPI_Datatype send_type, void* receive, const int receive_counts[],
                                   const int receive_starts[], MPI_Datatype receive_type, MPI_Comm communicator) {
  return enter<VectorExchange>(Collective::alltoallv, native_alltoallv,
                               {{send, shares_of(send_counts, send_starts), send_type},
                                {receive, shares_of(receive_counts, receive_starts), receive_type},
                                communicator});
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Alltoallv_c(const void* send, const MPI_Count send_counts[], const MPI_Aint send_starts[],
                                     MPI_Datatype send_type, void* receive, const MPI_Count receive_counts[],
                                     const MPI_Aint receive_starts[], MPI_Datatype receive_type,
                                     MPI_Comm communicator) {
  return enter<VectorExchange>(Collective::alltoallv, native_alltoallv_c,
                               {{send, shares_of(send_counts, send_starts), send_type},
                                {receive, shares_of(receive_counts, receive_starts), receive_type},
                                communicator});
}
#endif
