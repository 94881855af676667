// SPDX-License-Identifier: Apache-2.0
// MPI_Reduce_scatter at MPI's edge, in all its forms.
#include "intercept/entry_points.hpp"
#include "intercept/reduce_shares.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start) \
  const void *send, void *receive, const Count counts[], MPI_Datatype type, MPI_Op operation, MPI_Comm communicator
#define GIVEN \
  { send, receive, shares_of(counts), type, operation, communicator }

namespace {

template <class Count>
int pass_reduce_scatter(auto* next, const ReduceSharesArguments& a, auto... more) {
  return next(a.send, a.receive, a.shares.counts_in<Count>(), a.type, a.operation, a.communicator, more...);
}

}  // namespace

TRUNKLINE_ENTRY_POINTS(Reduce_scatter, reduce_scatter, pass_reduce_scatter, Collective::reduce_scatter, ReduceShares,
                       ReduceSharesArguments)

#undef PARAMETERS
#undef GIVEN
