// SPDX-License-Identifier: Apache-2.0
#include "intercept/reduction.hpp"

#include <variant>
#include <vector>

#include "execute/block_exchange.hpp"
#include "execute/operand_blocks.hpp"
#include "execute/tree_reduction.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {

namespace {

bool is_root(const std::variant<std::vector<LocalTree>, LocalBlocks>& parts) {
  if (const auto* const trees = std::get_if<std::vector<LocalTree>>(&parts)) return trees->front().is_root();
  return std::get<LocalBlocks>(parts).position == 0;
}

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

int Reduction::execute(Turn& turn, const LocalDecision& decision) const {
  const bool everywhere = arguments_.collective == Collective::allreduce;
  const auto& parts = decision.plan->parts;
  const auto* const trees = std::get_if<std::vector<LocalTree>>(&parts);
  const bool gets_result = everywhere || is_root(parts);
  // MPICH 4.0 does not report it, and sends what is in memory there.
  if (!gets_result && given_.send == MPI_IN_PLACE) throw MpiError{MPI_ERR_BUFFER};
  const Operands operands({.own = arguments_.buffer,
                           .result = given_.receive,
                           .has_result = gets_result,
                           .in_place = gets_result && in_place(),
                           .count = given_.count,
                           .type = given_.type,
                           .operation = given_.operation,
                           .communicator = conduit()->communicator()});
  if (trees != nullptr) {
    return TreeReduction(turn, *trees, operands, decision.segment_bytes, decision.plan->in_flight, everywhere,
                         operand_order())
        .run();
  }
  const auto& local = std::get<LocalBlocks>(parts);
  OperandBlocks blocks(operands, *local.schedule, local.position);
  return BlockExchange(turn, local, blocks, decision.segment_bytes, decision.plan->in_flight.bytes).run();
}

}  // namespace trunkline::runtime
