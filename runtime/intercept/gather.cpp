// SPDX-License-Identifier: Apache-2.0
#include "intercept/gather.hpp"

#include <memory>
#include <variant>

#include "execute/block_exchange.hpp"
#include "execute/gathered_blocks.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {

Gather::Gather(Collective collective, const GatherArguments& given, Native* native)
    : given_(given),
      arguments_{.collective = collective,
                 .buffer = given.receive,
                 .count = 0,
                 .type = given.receive_type,
                 .root = 0,
                 .communicator = given.communicator},
      native_(native) {}

MPI_Count Gather::elements(int ranks) const {
  const bool has_starts = given_.shares.starts != nullptr || given_.shares.long_starts != nullptr;
  return given_.shares.by_rank && !has_starts ? -1 : given_.shares.total(ranks);
}

bool Gather::is_for_mpi(int /*rank*/) const {
  if (given_.send == MPI_IN_PLACE) return false;
  if (given_.send_count < 0 || given_.send_type == MPI_DATATYPE_NULL) return true;
  if (!type_bytes(given_.send, given_.send_type)) return true;
  if (given_.send_count == 0) return false;
  const bool same = given_.send == given_.receive && given_.send != MPI_BOTTOM;
  return same || is_null(given_.send, given_.send_type);
}

int Gather::execute(Turn& turn, const LocalDecision& decision) const {
  const auto& local = std::get<LocalBlocks>(decision.plan->parts);
  const MPI_Comm silent = conduit()->communicator();
  Gathered gathered{.buffer = given_.receive, .type = given_.receive_type, .communicator = silent, .shares = {}};
  for (int rank = 0; rank < static_cast<int>(local.members.size()); ++rank) {
    gathered.shares.push_back({given_.shares.count(rank), given_.shares.start(rank)});
  }
  GatheredBlocks blocks(gathered, local.members);
  if (given_.send != MPI_IN_PLACE) {
    std::unique_ptr<Message> own;
    if (given_.send_count > 0) {
      own = std::make_unique<Message>(const_cast<void*>(given_.send), given_.send_count, given_.send_type, silent);
    }
    blocks.put(own.get(), local.position);
  }
  return BlockExchange(turn, local, blocks, decision.segment_bytes, decision.plan->in_flight.bytes).run();
}

}  // namespace trunkline::runtime
