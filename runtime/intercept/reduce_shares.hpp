// SPDX-License-Identifier: Apache-2.0
// What MPI_Reduce_scatter and MPI_Reduce_scatter_block have in common at MPI's edge.
#pragma once

#include <optional>
#include <vector>

#include "datatype/operands.hpp"
#include "intercept/call.hpp"
#include "intercept/operations.hpp"
#include "intercept/shares.hpp"
#include "intercept/short_calls.hpp"

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

/// Whether MPI runs it in any case.
[[nodiscard]] inline bool is_left_to_mpi(Collective collective, const ReduceSharesArguments& given) {
  if (given.shares.by_rank) return !watching.load(std::memory_order_relaxed);
  return is_left_to_mpi_of_each(collective, given.shares.each, given.type);
}

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
  [[nodiscard]] MPI_Op operation() const override { return given_.operation; }
  [[nodiscard]] int native() const override { return native_(given_); }
  void keep_counts(int ranks) override { kept_.keep(given_.shares, ranks); }
  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override;

 private:
  /// Also where the program gives one buffer twice, and MPI takes that.
  [[nodiscard]] bool in_place() const { return given_.send == MPI_IN_PLACE || given_.send == given_.receive; }

  ReduceSharesArguments given_;
  KeptShares kept_{};
  Arguments arguments_;
  Native* native_;
  std::optional<Operands> operands_{};
  std::vector<MPI_Count> counts_{};
};

}  // namespace trunkline::runtime
