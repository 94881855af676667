// SPDX-License-Identifier: Apache-2.0
// What reductions have in common at MPI's edge: an operation, and an operand that may lie where the result goes.
#pragma once

#include <optional>

#include "datatype/operands.hpp"
#include "intercept/call.hpp"
#include "intercept/operations.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {

/// A call whose `Given` has `send`, `receive`, `type` and `operation`.
template <class Given>
class ReducingCall : public CallOf<Given> {
 public:
  using CallOf<Given>::CallOf;

  [[nodiscard]] const char* reason_for_mpi() const final {
    return runtime::reason_for_mpi(this->given_.operation, this->given_.type);
  }
  [[nodiscard]] OperandOrder operand_order() const override { return order_of(this->given_.operation); }
  [[nodiscard]] bool is_exact() const final { return runtime::is_exact(this->given_.operation, this->given_.type); }
  [[nodiscard]] MPI_Op operation() const final { return this->given_.operation; }

 protected:
  /// Also where the program gives one buffer twice, and MPI takes that.
  [[nodiscard]] static bool is_in_place(const Given& given) {
    return given.send == MPI_IN_PLACE || given.send == given.receive;
  }

  /// Of `count` elements; what a call works on lies here.
  [[nodiscard]] Operands& operands(MPI_Count count, bool has_result) {
    const Given& given = this->given_;
    return operands_.emplace(Reduced{.own = this->arguments_.buffer,
                                     .result = given.receive,
                                     .has_result = has_result,
                                     .in_place = has_result && is_in_place(given),
                                     .count = count,
                                     .type = given.type,
                                     .operation = given.operation,
                                     .communicator = private_communicator()->communicator(),
                                     .reproducible = world()->knowledge.keeps_one_order(this->arguments_.collective),
                                     .extreme = extreme_of(given.operation, given.type)});
  }

 private:
  std::optional<Operands> operands_{};
};

}  // namespace trunkline::runtime
