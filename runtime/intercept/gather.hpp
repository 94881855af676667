// SPDX-License-Identifier: Apache-2.0
// What MPI_Allgather and MPI_Allgatherv have in common at MPI's edge.
#pragma once

#include <optional>

#include "datatype/gathered.hpp"
#include "datatype/message.hpp"
#include "intercept/call.hpp"
#include "intercept/shares.hpp"
#include "intercept/short_calls.hpp"

namespace trunkline::runtime {

/// As the program gave them.
struct GatherArguments {
  const void* send;
  MPI_Count send_count;
  MPI_Datatype send_type;
  void* receive;
  Shares shares;
  MPI_Datatype receive_type;
  MPI_Comm communicator;
};

/// Whether MPI runs it in any case.
[[nodiscard]] inline bool is_left_to_mpi(Collective collective, const GatherArguments& given) {
  if (given.shares.by_rank) return !watching.load(std::memory_order_relaxed);
  return is_left_to_mpi_of_each(collective, given.shares.each, given.receive_type);
}

class Gather final : public UserCall {
 public:
  using Native = int(const GatherArguments& given);

  Gather(Collective collective, const GatherArguments& given, Native* native);

  [[nodiscard]] const Arguments& arguments() const override { return arguments_; }
  [[nodiscard]] MPI_Count elements(int ranks) const override;
  [[nodiscard]] bool has_shares() const override { return true; }
  [[nodiscard]] bool is_doubtful(int rank) const override;
  [[nodiscard]] int judged(MPI_Comm alone, int rank) const override;
  [[nodiscard]] std::vector<MPI_Datatype> types(int /*ranks*/) const override {
    return {given_.receive_type, given_.send == MPI_IN_PLACE ? MPI_DATATYPE_NULL : given_.send_type};
  }
  [[nodiscard]] int native() const override { return native_(given_); }
  void keep_counts(int ranks) override { kept_.keep(given_.shares, ranks); }
  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override;

 private:
  GatherArguments given_;
  KeptShares kept_{};
  Arguments arguments_;
  Native* native_;
  std::optional<Gathered> gathered_{};
  std::optional<Message> own_{};  ///< none where it is empty, or lies where it belongs
};

}  // namespace trunkline::runtime
