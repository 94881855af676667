// SPDX-License-Identifier: Apache-2.0
#include "intercept/reduce_shares.hpp"

#include "intercept/state.hpp"

namespace trunkline::runtime {

ReduceShares::ReduceShares(Collective collective, const ReduceSharesArguments& given, Native* native)
    : given_(given),
      arguments_{.collective = collective,
                 .buffer = in_place() ? given.receive : given.send,
                 .count = 0,
                 .type = given.type,
                 .root = 0,
                 .communicator = given.communicator},
      native_(native) {}

bool ReduceShares::is_doubtful(int rank) const {
  const bool has_share = given_.shares.count(rank) > 0;
  return is_null(arguments_.buffer, given_.type) || given_.receive == given_.send || given_.receive == MPI_IN_PLACE ||
         (has_share && is_null(given_.receive, given_.type));
}

/// Of the operand as much as there is room for in the result.
int ReduceShares::judged(MPI_Comm alone, int rank) const {
  ReduceSharesArguments own = given_;
  own.communicator = alone;
  int ranks = 0;
  PMPI_Comm_size(given_.communicator, &ranks);
  MPI_Count elements = given_.shares.count(rank);
  if (given_.receive == given_.send) elements = given_.shares.total(ranks);
  if (elements == 0 && is_null(given_.send, given_.type)) elements = 1;  // of nothing no null is wrong
  const OneShare share(given_.shares, elements);
  own.shares = share.shares();
  return native_(own);
}

const char* ReduceShares::reason_for_mpi() const { return runtime::reason_for_mpi(given_.operation, given_.type); }

Running ReduceShares::begin(Transport& transport, const LocalDecision& decision) {
  const int ranks = transport.ranks();
  operands_.emplace(Reduced{.own = arguments_.buffer,
                            .result = given_.receive,
                            .has_result = true,
                            .in_place = in_place(),
                            .count = given_.shares.total(ranks),
                            .type = given_.type,
                            .operation = given_.operation,
                            .communicator = private_communicator()->communicator(),
                            .reproducible = world()->knowledge.keeps_one_order(arguments_.collective),
                            .extreme = extreme_of(given_.operation, given_.type)});
  counts_ = given_.shares.all_counts(ranks);
  return decision.plan->part->reduce_shares(transport, *operands_, counts_, decision.pace());
}

}  // namespace trunkline::runtime
