// SPDX-License-Identifier: Apache-2.0
// MPI_Bcast at MPI's edge: its arguments, its native form, and what runs its plans; and of those that do not block.
#include <optional>

#include "datatype/message.hpp"
#include "intercept/call.hpp"
#include "intercept/entry.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"
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

class Broadcast final : public UserCall {
 public:
  using Native = int(const BroadcastArguments& given);

  Broadcast(Collective collective, const BroadcastArguments& given, Native* native)
      : given_(given),
        arguments_{collective, given.buffer, given.count, given.type, given.root, given.communicator},
        native_(native) {}

  [[nodiscard]] const Arguments& arguments() const override { return arguments_; }
  [[nodiscard]] bool is_doubtful(int /*rank*/) const override { return is_null(given_.buffer, given_.type); }

  [[nodiscard]] int judged(MPI_Comm alone, int /*rank*/) const override {
    return native_({given_.buffer, given_.count, given_.type, 0, alone});
  }

  [[nodiscard]] int native() const override { return native_(given_); }

  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override {
    message_.emplace(given_.buffer, given_.count, given_.type, private_communicator()->communicator());
    return decision.plan->part->broadcast(transport, *message_, decision.pace());
  }

 private:
  BroadcastArguments given_;
  Arguments arguments_;
  Native* native_;
  std::optional<Message> message_{};
};

int native_bcast(const BroadcastArguments& a) {
  return NEXT(Bcast)(a.buffer, static_cast<int>(a.count), a.type, a.root, a.communicator);
}
int start_bcast(const BroadcastArguments& a, MPI_Request* request) {
  return NEXT(Ibcast)(a.buffer, static_cast<int>(a.count), a.type, a.root, a.communicator, request);
}
#if TRUNKLINE_HAS_PERSISTENT
int init_bcast(const BroadcastArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Bcast_init)(a.buffer, static_cast<int>(a.count), a.type, a.root, a.communicator, info, request);
}
#endif
#if TRUNKLINE_HAS_LARGE_COUNTS
int native_bcast_c(const BroadcastArguments& a) {
  return NEXT(Bcast_c)(a.buffer, a.count, a.type, a.root, a.communicator);
}
int start_bcast_c(const BroadcastArguments& a, MPI_Request* request) {
  return NEXT(Ibcast_c)(a.buffer, a.count, a.type, a.root, a.communicator, request);
}
int init_bcast_c(const BroadcastArguments& a, MPI_Info info, MPI_Request* request) {
  return NEXT(Bcast_init_c)(a.buffer, a.count, a.type, a.root, a.communicator, info, request);
}
#endif

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline;
using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
  return enter<Broadcast>(Collective::bcast, native_bcast, {buffer, count, type, root, communicator});
}

TRUNKLINE_EXPORT int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator,
                                MPI_Request* request) {
  return enter_nonblocking<Broadcast>(Collective::bcast, native_bcast, start_bcast,
                                      {buffer, count, type, root, communicator}, request);
}

#if TRUNKLINE_HAS_PERSISTENT
TRUNKLINE_EXPORT int MPI_Bcast_init(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator,
                                    MPI_Info info, MPI_Request* request) {
  return enter_persistent<Broadcast>(Collective::bcast, native_bcast, init_bcast,
                                     {buffer, count, type, root, communicator}, info, request);
}
#endif

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm communicator) {
  return enter<Broadcast>(Collective::bcast, native_bcast_c, {buffer, count, type, root, communicator});
}

TRUNKLINE_EXPORT int MPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm communicator,
                                  MPI_Request* request) {
  return enter_nonblocking<Broadcast>(Collective::bcast, native_bcast_c, start_bcast_c,
                                      {buffer, count, type, root, communicator}, request);
}

TRUNKLINE_EXPORT int MPI_Bcast_init_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm communicator,
                                      MPI_Info info, MPI_Request* request) {
  return enter_persistent<Broadcast>(Collective::bcast, native_bcast_c, init_bcast_c,
                                     {buffer, count, type, root, communicator}, info, request);
}
#endif
