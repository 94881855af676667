// SPDX-License-Identifier: Apache-2.0
// What MPI_Reduce and MPI_Allreduce have in common at MPI's edge.
#pragma once

#include <optional>

#include "datatype/operands.hpp"
#include "intercept/call.hpp"
#include "intercept/operations.hpp"
#include "intercept/short_calls.hpp"

namespace trunkline::runtime {

/// A reduction's arguments, as the program gave them.
struct ReductionArguments {
  const void* send;
  void* receive;
  MPI_Count count;
  MPI_Datatype type;
  MPI_Op operation;
  int root;  ///< 0 of MPI_Allreduce
  MPI_Comm communicator;
};

/// Whether MPI runs it in any case.
[[nodiscard]] inline bool is_left_to_mpi(Collective collective, const ReductionArguments& given) {
  return is_left_to_mpi(collective, given.count, given.type);
}

class Reduction final : public UserCall {
 public:
  using Native = int(const ReductionArguments& given);

  Reduction(Collective collective, const ReductionArguments& given, Native* native);

  [[nodiscard]] const Arguments& arguments() const override { return arguments_; }
  [[nodiscard]] bool is_doubtful(int rank) const override;
  [[nodiscard]] int judged(MPI_Comm alone, int rank) const override;
  [[nodiscard]] const char* reason_for_mpi() const override;
  [[nodiscard]] OperandOrder operand_order() const override { return order_of(given_.operation); }
  [[nodiscard]] bool is_exact() const override { return runtime::is_exact(given_.operation, given_.type); }
  [[nodiscard]] MPI_Op operation() const override { return given_.operation; }
  [[nodiscard]] int native() const override { return native_(given_); }
  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override;

 private:
  /// Also where the program gives one buffer twice, and MPI takes that.
  [[nodiscard]] bool in_place() const { return given_.send == MPI_IN_PLACE || given_.send == given_.receive; }
  [[nodiscard]] bool has_result(int rank) const {
    return arguments_.collective == Collective::allreduce || rank == given_.root;
  }

  ReductionArguments given_;
  Arguments arguments_;
  Native* native_;
  std::optional<Operands> operands_{};
};

}  // namespace trunkline::runtime
