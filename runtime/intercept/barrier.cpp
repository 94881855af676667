// SPDX-License-Identifier: Apache-2.0
// MPI_Barrier at MPI's edge: a byte is combined over all ranks, as an allreduce of it.
#include "intercept/call.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {
namespace {

class Barrier final : public UserCall {
 public:
  explicit Barrier(MPI_Comm communicator)
      : arguments_{.collective = Collective::barrier,
                   .buffer = &token,
                   .count = 1,
                   .type = MPI_BYTE,
                   .root = 0,
                   .communicator = communicator} {}

  [[nodiscard]] const Arguments& arguments() const override { return arguments_; }
  [[nodiscard]] bool is_doubtful(int /*rank*/) const override { return false; }
  [[nodiscard]] int judged(MPI_Comm /*alone*/, int /*rank*/) const override { return MPI_SUCCESS; }
  [[nodiscard]] int native() const override { return NEXT(Barrier)(arguments_.communicator); }

  [[nodiscard]] int execute(Transport& transport, const LocalDecision& decision) const override {
    unsigned char result = 0;
    const Operands operands({.own = &token,
                             .result = &result,
                             .has_result = true,
                             .in_place = false,
                             .count = 1,
                             .type = MPI_BYTE,
                             .operation = MPI_BOR,
                             .communicator = private_communicator()->communicator()});
    const Pace pace{.segment_bytes = 1, .in_flight = decision.plan->in_flight};
    return decision.plan->part->reduce(transport, operands, pace, true, OperandOrder::any)->run();
  }

 private:
  static constexpr unsigned char token = 0;
  Arguments arguments_;
};

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline;
using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Barrier(MPI_Comm communicator) {
  if (!watching.load(std::memory_order_relaxed)) {
    last_run(Collective::barrier) = {};
    return NEXT(Barrier)(communicator);
  }
  return run(Barrier(communicator));
}
