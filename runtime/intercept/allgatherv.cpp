// SPDX-License-Identifier: Apache-2.0
// MPI_Allgatherv at MPI's edge, in all its forms.
#include "intercept/entry_points.hpp"
#include "intercept/gather.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start)                                                                   \
  const void *send, Count send_count, MPI_Datatype send_type, void *receive, const Count counts[], \
      const Start starts[], MPI_Datatype receive_type, MPI_Comm communicator
#define GIVEN \
  { send, send_count, send_type, receive, shares_of(counts, starts), receive_type, communicator }

namespace {

template <class Count>
int pass_allgatherv(auto* next, const GatherArguments& a, auto... more) {
  return next(a.send, static_cast<Count>(a.send_count), a.send_type, a.receive, a.shares.counts_in<Count>(),
              a.shares.starts_in<Count>(), a.receive_type, a.communicator, more...);
}

}  // namespace

TRUNKLINE_ENTRY_POINTS(Allgatherv, allgatherv, pass_allgatherv, Collective::allgatherv, Gather, GatherArguments)

#undef PARAMETERS
#undef GIVEN
