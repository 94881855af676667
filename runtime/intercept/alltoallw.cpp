// SPDX-License-Identifier: Apache-2.0
// MPI_Alltoallw at MPI's edge, in all its forms.
#include "intercept/entry_points.hpp"
#include "intercept/vector_exchange.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start)                                                                                     \
  const void *send, const Count send_counts[], const Start send_starts[], const MPI_Datatype send_types[],           \
      void *receive, const Count receive_counts[], const Start receive_starts[], const MPI_Datatype receive_types[], \
      MPI_Comm communicator
#define GIVEN                                                                                                \
  {                                                                                                          \
    {send, shares_of(send_counts, send_starts), MPI_DATATYPE_NULL, send_types},                              \
        {receive, shares_of(receive_counts, receive_starts), MPI_DATATYPE_NULL, receive_types}, communicator \
  }

namespace {

template <class Count>
int pass_alltoallw(auto* next, const VectorExchangeArguments& a, auto... more) {
  return next(a.send.buffer, a.send.blocks.counts_in<Count>(), a.send.blocks.starts_in<Count>(), a.send.types,
              const_cast<void*>(a.receive.buffer), a.receive.blocks.counts_in<Count>(),
              a.receive.blocks.starts_in<Count>(), a.receive.types, a.communicator, more...);
}

}  // namespace

TRUNKLINE_ENTRY_POINTS(Alltoallw, alltoallw, pass_alltoallw, Collective::alltoallv, VectorExchange,
                       VectorExchangeArguments)

#undef PARAMETERS
#undef GIVEN
