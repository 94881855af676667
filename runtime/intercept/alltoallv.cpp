// SPDX-License-Identifier: Apache-2.0
// MPI_Alltoallv at MPI's edge, in all its forms.
#include "intercept/entry_points.hpp"
#include "intercept/vector_exchange.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start)                                                                                 \
  const void *send, const Count send_counts[], const Start send_starts[], MPI_Datatype send_type, void *receive, \
      const Count receive_counts[], const Start receive_starts[], MPI_Datatype receive_type, MPI_Comm communicator
#define GIVEN                                                                            \
  {                                                                                      \
    {send, shares_of(send_counts, send_starts), send_type},                              \
        {receive, shares_of(receive_counts, receive_starts), receive_type}, communicator \
  }

namespace {

template <class Count>
int pass_alltoallv(auto* next, const VectorExchangeArguments& a, auto... more) {
  return next(a.send.buffer, a.send.blocks.counts_in<Count>(), a.send.blocks.starts_in<Count>(), a.send.type,
              const_cast<void*>(a.receive.buffer), a.receive.blocks.counts_in<Count>(),
              a.receive.blocks.starts_in<Count>(), a.receive.type, a.communicator, more...);
}

}  // namespace

TRUNKLINE_ENTRY_POINTS(Alltoallv, alltoallv, pass_alltoallv, Collective::alltoallv, VectorExchange,
                       VectorExchangeArguments)

#undef PARAMETERS
#undef GIVEN
