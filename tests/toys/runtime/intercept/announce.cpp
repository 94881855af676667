// SPDX-License-Identifier: Apache-2.0
// A collective that is there for tests alone: MPI has none of that name, and runs it as a broadcast.
#include <optional>

#include "datatype/message.hpp"
#include "intercept/call.hpp"
#include "intercept/export.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {
namespace {

class Announcement final : public UserCall {
 public:
  Announcement(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator)
      : buffer_(buffer), arguments_{collective_named("announce"), buffer, count, type, root, communicator} {}

  [[nodiscard]] const Arguments& arguments() const override { return arguments_; }
  [[nodiscard]] bool is_doubtful(int /*rank*/) const override { return false; }
  [[nodiscard]] int judged(MPI_Comm /*alone*/, int /*rank*/) const override { return MPI_SUCCESS; }
  [[nodiscard]] int native() const override {
    return PMPI_Bcast(buffer_, static_cast<int>(arguments_.count), arguments_.type, arguments_.root,
                      arguments_.communicator);
  }
  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override {
    message_.emplace(buffer_, arguments_.count, arguments_.type, private_communicator()->communicator());
    return decision.plan->part->broadcast(transport, *message_, decision.pace());
  }

 private:
  void* buffer_;
  Arguments arguments_;
  std::optional<Message> message_{};
};

}  // namespace
}  // namespace trunkline::runtime

TRUNKLINE_EXPORT int MPI_Announce(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
  return trunkline::runtime::run(trunkline::runtime::Announcement(buffer, count, type, root, communicator));
}
