// SPDX-License-Identifier: Apache-2.0
#include "intercept/reduction.hpp"

#include "intercept/state.hpp"

namespace trunkline::runtime {
namespace {

/// MPI_IN_PLACE where there is no result. Open MPI reports it; else the operand is taken from where a result would
/// be.
#ifdef OPEN_MPI
constexpr bool reports_misplaced = true;
#else
constexpr bool reports_misplaced = false;
#endif

}  // namespace

Reduction::Reduction(Collective collective, const ReductionArguments& given, Native* native)
    : given_(given),
      arguments_{.collective = collective,
                 .buffer = in_place() ? given.receive : given.send,
                 .count = given.count,
                 .type = given.type,
                 .root = given.root,
                 .communicator = given.communicator},
      native_(native) {}

/// Where a rank has a result, it must have room for it, apart from its operand; only there may that be in place.
bool Reduction::is_doubtful(int rank) const {
  if (!has_result(rank)) return is_null(given_.send, given_.type);
  return is_null(arguments_.buffer, given_.type) || given_.receive == given_.send || given_.receive == MPI_IN_PLACE ||
         is_null(given_.receive, given_.type);
}

int Reduction::judged(MPI_Comm alone, int rank) const {
  // A rank that is alone is the root, which writes a result.
  if (!has_result(rank)) return PMPI_Bcast(const_cast<void*>(given_.send), 1, given_.type, 0, alone);
  ReductionArguments own = given_;
  own.root = 0;
  own.communicator = alone;
  return native_(own);
}

const char* Reduction::reason_for_mpi() const { return runtime::reason_for_mpi(given_.operation, given_.type); }

Running Reduction::begin(Transport& transport, const LocalDecision& decision) {
  const bool everywhere = arguments_.collective == Collective::allreduce;
  const LocalPart& part = *decision.plan->part;
  const bool gets_result = everywhere || part.is_root();
  const bool is_misplaced = !gets_result && given_.send == MPI_IN_PLACE;
  if (is_misplaced && (reports_misplaced || is_null(given_.receive, given_.type))) throw MpiError{MPI_ERR_BUFFER};
  operands_.emplace(Reduced{.own = arguments_.buffer,
                            .result = given_.receive,
                            .has_result = gets_result,
                            .in_place = gets_result && in_place(),
                            .count = given_.count,
                            .type = given_.type,
                            .operation = given_.operation,
                            .communicator = private_communicator()->communicator(),
                            .reproducible = world()->knowledge.keeps_one_order(arguments_.collective),
                            .extreme = extreme_of(given_.operation, given_.type)});
  return part.reduce(transport, *operands_, decision.pace(), everywhere, operand_order());
}

}  // namespace trunkline::runtime
