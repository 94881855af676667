// SPDX-License-Identifier: Apache-2.0
// MPI_Bcast at MPI's edge: its arguments, its native form, and what runs its plans.
#include <variant>
#include <vector>

#include "datatype/message.hpp"
#include "execute/block_exchange.hpp"
#include "execute/message_blocks.hpp"
#include "execute/pipelined_trees.hpp"
#include "execute/window.hpp"
#include "intercept/call.hpp"
#include "intercept/export.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {
namespace {

using NativeBcast = int(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm communicator);

class Broadcast final : public UserCall {
 public:
  Broadcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm communicator, NativeBcast* native)
      : buffer_(buffer), arguments_{Collective::bcast, buffer, count, type, root, communicator}, native_(native) {}

  [[nodiscard]] const Arguments& arguments() const override { return arguments_; }
  [[nodiscard]] bool is_doubtful(int /*rank*/) const override { return is_null(buffer_, arguments_.type); }

  [[nodiscard]] int judged(MPI_Comm alone, int /*rank*/) const override {
    return native_(buffer_, arguments_.count, arguments_.type, 0, alone);
  }

  [[nodiscard]] int native() const override {
    return native_(buffer_, arguments_.count, arguments_.type, arguments_.root, arguments_.communicator);
  }

  [[nodiscard]] int execute(Turn& turn, const LocalDecision& decision) const override {
    Message message(buffer_, arguments_.count, arguments_.type, conduit()->communicator());
    const auto& parts = decision.plan->parts;
    if (const auto* const trees = std::get_if<std::vector<LocalTree>>(&parts)) {
      return PipelinedTrees(turn, *trees, message, decision.segment_bytes, decision.plan->in_flight.bytes).run();
    }
    const auto& local = std::get<LocalBlocks>(parts);
    const std::uint64_t segment = usable_segment(decision.segment_bytes, message.bytes());
    MessageBlocks blocks(message, local.schedule->fixed_blocks().value_or((message.bytes() + segment - 1) / segment));
    return BlockExchange(turn, local, blocks, segment, decision.plan->in_flight.bytes).run();
  }

 private:
  void* buffer_;
  Arguments arguments_;
  NativeBcast* native_;
};

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline;
using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
  if (!watching.load(std::memory_order_relaxed)) {
    last_run(Collective::bcast) = {};
    return PMPI_Bcast(buffer, count, type, root, communicator);
  }
  return run(
      Broadcast(buffer, count, type, root, communicator, [](void* b, MPI_Count n, MPI_Datatype t, int r, MPI_Comm c) {
        return PMPI_Bcast(b, static_cast<int>(n), t, r, c);
      }));
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm communicator) {
  if (!watching.load(std::memory_order_relaxed)) {
    last_run(Collective::bcast) = {};
    return PMPI_Bcast_c(buffer, count, type, root, communicator);
  }
  return run(Broadcast(buffer, count, type, root, communicator, PMPI_Bcast_c));
}
#endif
