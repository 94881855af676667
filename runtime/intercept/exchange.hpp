// SPDX-License-Identifier: Apache-2.0
// MPI_Alltoall at MPI's edge, in whichever form.
#pragma once

#include <optional>

#include "datatype/exchanged.hpp"
#include "datatype/message.hpp"
#include "intercept/call.hpp"
#include "intercept/short_calls.hpp"

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

/// Whether MPI runs it in any case.
[[nodiscard]] inline bool is_left_to_mpi(Collective collective, const ExchangeArguments& given) {
  return is_left_to_mpi(collective, given.receive_count, given.receive_type);
}

class Exchange final : public UserCall {
 public:
  using Native = int(const ExchangeArguments& given);

  Exchange(Collective collective, const ExchangeArguments& given, Native* native);

  [[nodiscard]] const Arguments& arguments() const override { return arguments_; }
  [[nodiscard]] bool is_doubtful(int rank) const override;
  [[nodiscard]] int judged(MPI_Comm alone, int rank) const override;
  [[nodiscard]] std::vector<MPI_Datatype> types(int /*ranks*/) const override {
    return {given_.receive_type, given_.send == MPI_IN_PLACE ? MPI_DATATYPE_NULL : given_.send_type};
  }
  [[nodiscard]] int native() const override { return native_(given_); }
  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override;
  void succeeded() noexcept override {
    if (before_) before_->let_go();
  }

 private:
  ExchangeArguments given_;
  Arguments arguments_;
  Native* native_;
  std::optional<KeptForSends> before_{};  ///< what is sent, where it lies in place
  std::optional<Message> sent_{};
  std::optional<Message> received_{};
  Exchanged exchanged_{};
};

}  // namespace trunkline::runtime
