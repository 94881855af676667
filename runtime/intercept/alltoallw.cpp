// SPDX-License-Identifier: Apache-2.0
// MPI_Alltoallw at MPI's edge: its arguments, and its native form.
#include "intercept/entry.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/vector_exchange.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

namespace {

int native_alltoallw(const VectorExchangeArguments& a) {
  return NEXT(Alltoallw)(a.send.buffer, a.send.blocks.counts, a.send.blocks.starts, a.send.types,
                         const_cast<void*>(a.receive.buffer), a.receive.blocks.counts, a.receive.blocks.starts,
                         a.receive.types, a.communicator);
}
#if TRUNKLINE_HAS_LARGE_COUNTS
int native_alltoallw_c(const VectorExchangeArguments& a) {
  return NEXT(Alltoallw_c)(a.send.buffer, a.send.blocks.long_counts, a.send.blocks.long_starts, a.send.types,
                           const_cast<void*>(a.receive.buffer), a.receive.blocks.long_counts,
                           a.receive.blocks.long_starts, a.receive.types, a.communicator);
}
#endif

}  // namespace

TRUNKLINE_EXPORT int MPI_Alltoallw(const void* send, const int send_counts[], const int send_starts[],
                                   const MPI_Datatype send_types[], void* receive, const int receive_counts[],
                                   const int receive_starts[], const MPI_Datatype receive_types[],
                                   MPI_Comm communicator) {
  return enter<VectorExchange>(Collective::alltoallv, native_alltoallw,
                               {{send, shares_of(send_counts, send_starts), MPI_DATATYPE_NULL, send_types},
                                {receive, shares_of(receive_counts, receive_starts), MPI_DATATYPE_NULL, receive_types},
                                communicator});
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Alltoallw_c(const void* send, const MPI_Count send_counts[], const MPI_Aint send_starts[],
                                     const MPI_Datatype send_types[], void* receive, const MPI_Count receive_counts[],
                                     const MPI_Aint receive_starts[], const MPI_Datatype receive_types[],
                                     MPI_Comm communicator) {
  return enter<VectorExchange>(Collective::alltoallv, native_alltoallw_c,
                               {{send, shares_of(send_counts, send_starts), MPI_DATATYPE_NULL, send_types},
                                {receive, shares_of(receive_counts, receive_starts), MPI_DATATYPE_NULL, receive_types},
                                communicator});
}
#endif
