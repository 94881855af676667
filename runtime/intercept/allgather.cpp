// SPDX-License-Identifier: Apache-2.0
// MPI_Allgather at MPI's edge, in all its forms.
#include "intercept/entry_points.hpp"
#include "intercept/gather.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start)                                                                  \
  const void *send, Count send_count, MPI_Datatype send_type, void *receive, Count receive_count, \
      MPI_Datatype receive_type, MPI_Comm communicator
#define GIVEN \
  { send, send_count, send_type, receive, {.each = receive_count}, receive_type, communicator }

namespace {

template <class Count>
int pass_allgather(auto* next, const GatherArguments& a, auto... more) {
  return next(a.send, static_cast<Count>(a.send_count), a.send_type, a.receive, static_cast<Count>(a.shares.each),
              a.receive_type, a.communicator, more...);
}

}  // namespace

TRUNKLINE_ENTRY_POINTS(Allgather, allgather, pass_allgather, Collective::allgather, Gather, GatherArguments)

#undef PARAMETERS
#undef GIVEN
