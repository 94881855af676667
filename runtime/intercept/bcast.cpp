// SPDX-License-Identifier: Apache-2.0
// MPI_Bcast at MPI's edge: its arguments, its native form, and what runs its plans.
#include "datatype/message.hpp"
#include "intercept/call.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/short_calls.hpp"
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

  [[nodiscard]] int execute(Transport& transport, const LocalDecision& decision) const override {
    Message message(buffer_, arguments_.count, arguments_.type, private_communicator()->communicator());
    return decision.plan->part->broadcast(transport, message, decision.pace())->run();
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
  if (is_left_to_mpi(Collective::bcast, count, type)) {
    last_run(Collective::bcast) = {};
    return NEXT(Bcast)(buffer, count, type, root, communicator);
  }
  return run(
      Broadcast(buffer, count, type, root, communicator, [](void* b, MPI_Count n, MPI_Datatype t, int r, MPI_Comm c) {
        return NEXT(Bcast)(b, static_cast<int>(n), t, r, c);
      }));
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm communicator) {
  if (is_left_to_mpi(Collective::bcast, count, type)) {
    last_run(Collective::bcast) = {};
    return NEXT(Bcast_c)(buffer, count, type, root, communicator);
  }
  return run(Broadcast(buffer, count, type, root, communicator, NEXT(Bcast_c)));
}
#endif
