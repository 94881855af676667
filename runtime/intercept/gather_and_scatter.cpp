// SPDX-License-Identifier: Apache-2.0
// MPI_Gather and MPI_Scatter at MPI's edge, in all their forms.
#include "intercept/entry_points.hpp"
#include "intercept/root_shares.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start)                                                                  \
  const void *send, Count send_count, MPI_Datatype send_type, void *receive, Count receive_count, \
      MPI_Datatype receive_type, int root, MPI_Comm communicator
#define GIVEN \
  { send, send_count, send_type, receive, receive_count, receive_type, root, communicator }

namespace {

template <class Count>
int pass_root_shares(auto* next, const RootShareArguments& a, auto... more) {
  return next(a.send, static_cast<Count>(a.send_count), a.send_type, a.receive, static_cast<Count>(a.receive_count),
              a.receive_type, a.root, a.communicator, more...);
}

}  // namespace

TRUNKLINE_ENTRY_POINTS(Gather, gather, pass_root_shares, Collective::gather, RootShareCall, RootShareArguments)
TRUNKLINE_ENTRY_POINTS(Scatter, scatter, pass_root_shares, Collective::scatter, RootShareCall, RootShareArguments)

#undef PARAMETERS
#undef GIVEN
