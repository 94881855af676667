// SPDX-License-Identifier: Apache-2.0
// What MPI_Reduce_scatter and MPI_Reduce_scatter_block have in common at MPI's edge.
#pragma once

#include "intercept/call.hpp"
#include "intercept/operations.hpp"
#include "intercept/shares.hpp"

namespace trunkline::runtime {

/// As the program gave them.
struct ReduceSharesArguments {
  const void* send;
  void* receive;
  Shares shares;
  MPI_Datatype type;
  MPI_Op operation;
  MPI_Comm communicator;
};

class ReduceShares final : public UserCall {
 public:
  using Native = int(const ReduceSharesArguments& given);

  ReduceShares(Collective collective, const ReduceSharesArguments& given, Native* native);

  [[nodiscard]] const Arguments& arguments() const override { return arguments_; }
  [[nodiscard]] MPI_Count elements(int ranks) const override { return given_.shares.total(ranks); }
  [[nodiscard]] bool has_shares() const override { return true; }
  [[nodiscard]] bool is_doubtful(int rank) const override;
  [[nodiscard]] int judged(MPI_Comm alone, int rank) const override;
  [[nodiscard]] const char* reason_for_mpi() const override;
  [[nodiscard]] OperandOrder operand_order() const override { return order_of(given_.operation); }
  [[nodiscard]] bool is_exact() const override { return runtime::is_exact(given_.operation, given_.type); }
  [[nodiscard]] int native() const override { return native_(given_); }
  [[nodiscard]] int execute(Transport& transport, const LocalDecision& decision) const override;

 private:
  /// Also where the program gives one buffer twice, and MPI takes that.
  [[nodiscard]] bool in_place() const { return given_.send == MPI_IN_PLACE || given_.send == given_.receive; }

  ReduceSharesArguments given_;
  Arguments arguments_;
  Native* native_;
};

}  // namespace trunkline::runtime
