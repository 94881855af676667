// SPDX-License-Identifier: Apache-2.0
#include "intercept/reduce_shares.hpp"

#include <variant>
#include <vector>

#include "datatype/operands.hpp"
#include "execute/block_exchange.hpp"
#include "execute/relayed_blocks.hpp"
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

bool ReduceShares::is_for_mpi(int rank) const {
  const bool same = given_.receive == given_.send && given_.receive != MPI_BOTTOM;
  const bool has_share = given_.shares.count(rank) > 0;
  return same || given_.receive == MPI_IN_PLACE || (has_share && is_null(given_.receive, given_.type));
}

const char* ReduceShares::reason_for_mpi() const { return runtime::reason_for_mpi(given_.operation, given_.type); }

int ReduceShares::execute(Turn& turn, const LocalDecision& decision) const {
  const auto& local = std::get<LocalBlocks>(decision.plan->parts);
  const auto ranks = static_cast<int>(local.members.size());
  const Operands operands({.own = arguments_.buffer,
                           .result = given_.receive,
                           .has_result = true,
                           .in_place = in_place(),
                           .count = given_.shares.total(ranks),
                           .type = given_.type,
                           .operation = given_.operation,
                           .communicator = conduit()->communicator()});
  RelayedBlocks blocks(operands, given_.shares.all_counts(ranks), local.members, *local.schedule, local.position);
  const int code = BlockExchange(turn, local, blocks, decision.segment_bytes, decision.plan->in_flight.bytes).run();
  blocks.settle();
  return code;
}

}  // namespace trunkline::runtime
