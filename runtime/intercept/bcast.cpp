// SPDX-License-Identifier: Apache-2.0
// MPI_Bcast at MPI's edge: its arguments, what runs its plans, and all its forms.
#include <optional>

#include "datatype/message.hpp"
#include "intercept/call.hpp"
#include "intercept/entry_points.hpp"
#include "intercept/short_calls.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {
namespace {

struct BroadcastArguments {
  void* buffer;
  MPI_Count count;
  MPI_Datatype type;
  int root;
  MPI_Comm communicator;
};

bool is_left_to_mpi(Collective collective, const BroadcastArguments& given) {
  return runtime::is_left_to_mpi(collective, given.count, given.type);
}

class Broadcast final : public CallOf<BroadcastArguments> {
 public:
  Broadcast(Collective collective, const BroadcastArguments& given, Native* native)
      : CallOf(given, native, {collective, given.buffer, given.count, given.type, given.root, given.communicator}) {}

  [[nodiscard]] bool is_doubtful(int /*rank*/) const override { return is_null(given_.buffer, given_.type); }

  [[nodiscard]] int judged(MPI_Comm alone, int /*rank*/) const override {
    return native_({given_.buffer, given_.count, given_.type, 0, alone});
  }

  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override {
    message_.emplace(given_.buffer, given_.count, given_.type, private_communicator()->communicator());
    return decision.plan->part->broadcast(transport, *message_, decision.pace());
  }

 private:
  std::optional<Message> message_{};
};

template <class Count>
int pass_bcast(auto* next, const BroadcastArguments& a, auto... more) {
  return next(a.buffer, static_cast<Count>(a.count), a.type, a.root, a.communicator, more...);
}

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start) void *buffer, Count count, MPI_Datatype type, int root, MPI_Comm communicator
#define GIVEN \
  { buffer, count, type, root, communicator }

TRUNKLINE_ENTRY_POINTS(Bcast, bcast, pass_bcast, Collective::bcast, Broadcast, BroadcastArguments)

#undef PARAMETERS
#undef GIVEN
