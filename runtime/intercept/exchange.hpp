// SPDX-License-Identifier: Apache-2.0
// MPI_Alltoall at MPI's edge, in whichever form.
#pragma once

#include "intercept/call.hpp"

namespace trunkline::runtime {

/// As the program gave them.
struct ExchangeArguments {
  const void* send;
  MPI_Count send_count;
  MPI_Datatype send_type;
  void* receive;
  MPI_Count receive_count;
  MPI_Datatype receive_type;
  MPI_Comm communicator;
};

class Exchange final : public UserCall {
 public:
  using Native = int(const ExchangeArguments& given);

  Exchange(const ExchangeArguments& given, Native* native);

  [[nodiscard]] const Arguments& arguments() const override { return arguments_; }
  [[nodiscard]] bool is_doubtful(int rank) const override;
  [[nodiscard]] int judged(MPI_Comm alone, int rank) const override;
  [[nodiscard]] int native() const override { return native_(given_); }
  [[nodiscard]] int execute(Transport& transport, const LocalDecision& decision) const override;

 private:
  ExchangeArguments given_;
  Arguments arguments_;
  Native* native_;
};

}  // namespace trunkline::runtime
