// SPDX-License-Identifier: Apache-2.0
// What MPI_Allgather and MPI_Allgatherv have in common at MPI's edge.
#pragma once

#include "intercept/call.hpp"
#include "intercept/shares.hpp"

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

class Gather final : public UserCall {
 public:
  using Native = int(const GatherArguments& given);

  Gather(Collective collective, const GatherArguments& given, Native* native);

  [[nodiscard]] const Arguments& arguments() const override { return arguments_; }
  [[nodiscard]] MPI_Count elements(int ranks) const override;
  [[nodiscard]] bool has_shares() const override { return true; }
  [[nodiscard]] bool is_doubtful(int rank) const override;
  [[nodiscard]] int judged(MPI_Comm alone, int rank) const override;
  [[nodiscard]] int native() const override { return native_(given_); }
  [[nodiscard]] int execute(Transport& transport, const LocalDecision& decision) const override;

 private:
  GatherArguments given_;
  Arguments arguments_;
  Native* native_;
};

}  // namespace trunkline::runtime
