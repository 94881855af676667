// SPDX-License-Identifier: Apache-2.0
// What MPI_Gather and MPI_Scatter have in common at MPI's edge.
#pragma once

#include <optional>

#include "datatype/message.hpp"
#include "datatype/shares_at_root.hpp"
#include "intercept/call.hpp"
#include "intercept/short_calls.hpp"

namespace trunkline::runtime {

/// As the program gave them.
struct RootShareArguments {
  const void* send;
  MPI_Count send_count;
  MPI_Datatype send_type;
  void* receive;
  MPI_Count receive_count;
  MPI_Datatype receive_type;
  int root;
  MPI_Comm communicator;
};

/// Whether MPI runs it in any case, by a rank's own share, which all ranks know.
[[nodiscard]] inline bool is_left_to_mpi(Collective collective, const RootShareArguments& given) {
  const bool gathers = collective == Collective::gather;
  const bool is_there = (gathers ? given.send : given.receive) == MPI_IN_PLACE;
  const bool sends = gathers != is_there;
  return is_left_to_mpi_of_each(collective, sends ? given.send_count : given.receive_count,
                                sends ? given.send_type : given.receive_type);
}

class RootShareCall final : public UserCall {
 public:
  using Native = int(const RootShareArguments& given);

  RootShareCall(Collective collective, const RootShareArguments& given, Native* native);

  [[nodiscard]] const Arguments& arguments() const override { return arguments_; }
  [[nodiscard]] MPI_Count elements(int ranks) const override { return arguments_.count * ranks; }
  [[nodiscard]] bool has_shares() const override { return true; }
  [[nodiscard]] bool is_doubtful(int rank) const override;
  [[nodiscard]] int judged(MPI_Comm alone, int rank) const override;
  [[nodiscard]] std::vector<MPI_Datatype> types(int /*ranks*/) const override {
    return {arguments_.type, own().buffer == MPI_IN_PLACE ? MPI_DATATYPE_NULL : own().type};
  }
  [[nodiscard]] int native() const override { return native_(given_); }
  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override;

 private:
  /// A rank's own share, at the root too.
  struct Own {
    void* buffer;
    MPI_Count count;
    MPI_Datatype type;
  };
  [[nodiscard]] Own own() const;

  RootShareArguments given_;
  bool gathers_;
  bool is_root_;
  Arguments arguments_;  ///< at the root of all shares, each `count` long; else of the rank's own
  Native* native_;
  std::optional<Message> own_share_{};  ///< none where it lies where it belongs
  std::optional<Message> all_{};        ///< at the root
  RootShares shares_{};
};

}  // namespace trunkline::runtime
