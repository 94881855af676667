// SPDX-License-Identifier: Apache-2.0
// MPI_Barrier at MPI's edge: a byte is combined over all ranks, as an allreduce of it.
#include <optional>

#include "intercept/call.hpp"
#include "intercept/entry_points.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {
namespace {

struct BarrierArguments {
  MPI_Comm communicator;
};

bool is_left_to_mpi(Collective /*collective*/, const BarrierArguments& /*given*/) {
  return !watching.load(std::memory_order_relaxed);
}

class Barrier final : public CallOf<BarrierArguments> {
 public:
  Barrier(Collective collective, const BarrierArguments& given, Native* native)
      : CallOf(given, native,
               {.collective = collective,
                .buffer = &token,
                .count = 1,
                .type = MPI_BYTE,
                .root = 0,
                .communicator = given.communicator}) {}

  [[nodiscard]] bool is_doubtful(int /*rank*/) const override { return false; }
  [[nodiscard]] int judged(MPI_Comm /*alone*/, int /*rank*/) const override { return MPI_SUCCESS; }

  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override {
    operands_.emplace(Reduced{.own = &token,
                              .result = &result_,
                              .has_result = true,
                              .in_place = false,
                              .count = 1,
                              .type = MPI_BYTE,
                              .operation = MPI_BOR,
                              .communicator = private_communicator()->communicator()});
    const Pace pace{.segment_bytes = 1, .in_flight = decision.plan->in_flight};
    return decision.plan->part->reduce(transport, *operands_, pace, true, OperandOrder::any);
  }

 private:
  static constexpr unsigned char token = 0;
  unsigned char result_ = 0;
  std::optional<Operands> operands_{};
};

template <class Count>
int pass_barrier(auto* next, const BarrierArguments& a, auto... more) {
  return next(a.communicator, more...);
}

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start) MPI_Comm communicator
#define GIVEN \
  { communicator }

TRUNKLINE_FORMS(Barrier, Ibarrier, , barrier, pass_barrier, Collective::barrier, Barrier, BarrierArguments, int, int)
TRUNKLINE_PERSISTENT_FORM(Barrier_init, , barrier, pass_barrier, Collective::barrier, Barrier, BarrierArguments, int,
                          int)

#undef PARAMETERS
#undef GIVEN
