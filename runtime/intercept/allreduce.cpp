// SPDX-License-Identifier: Apache-2.0
// MPI_Allreduce at MPI's edge, in all its forms.
#include "intercept/entry_points.hpp"
#include "intercept/reduction.hpp"

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start) \
  const void *send, void *receive, Count count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator
#define GIVEN \
  { send, receive, count, type, operation, 0, communicator }

namespace {

template <class Count>
int pass_allreduce(auto* next, const ReductionArguments& a, auto... more) {
  return next(a.send, a.receive, static_cast<Count>(a.count), a.type, a.operation, a.communicator, more...);
}

}  // namespace

TRUNKLINE_ENTRY_POINTS(Allreduce, allreduce, pass_allreduce, Collective::allreduce, Reduction, ReductionArguments)

#undef PARAMETERS
#undef GIVEN
