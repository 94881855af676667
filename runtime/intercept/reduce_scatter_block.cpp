// SPDX-License-Identifier: Apache-2.0
// MPI_Reduce_scatter_block at MPI's edge, in all its forms.
#include "intercept/entry_points.hpp"
#include "intercept/reduce_shares.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start) \
  const void *send, void *receive, Count count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator
#define GIVEN \
  { send, receive, {.each = count}, type, operation, communicator }

namespace {

template <class Count>
int pass_reduce_scatter_block(auto* next, const ReduceSharesArguments& a, auto... more) {
  return next(a.send, a.receive, static_cast<Count>(a.shares.each), a.type, a.operation, a.communicator, more...);
}

}  // namespace

TRUNKLINE_ENTRY_POINTS(Reduce_scatter_block, reduce_scatter_block, pass_reduce_scatter_block,
                       Collective::reduce_scatter_block, ReduceShares, ReduceSharesArguments)

#undef PARAMETERS
#undef GIVEN
