// SPDX-License-Identifier: Apache-2.0
// MPI_Alltoallv and MPI_Alltoallw at MPI's edge: each rank knows how much it has for each other one, and gets of it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "datatype/exchanged.hpp"
#include "datatype/message.hpp"
#include "intercept/call.hpp"
#include "intercept/shares.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {

/// A block for each rank, or of each.
struct PairSide {
  const void* buffer;
  Shares blocks;  ///< by rank; they begin after so many elements, or bytes where each has a datatype of its own
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< of all
  const MPI_Datatype* types = nullptr;    ///< or of each

  [[nodiscard]] MPI_Datatype type_of(int rank) const { return types != nullptr ? types[rank] : type; }
  [[nodiscard]] bool has_types() const { return types != nullptr || type != MPI_DATATYPE_NULL; }
  [[nodiscard]] void* place_of(int rank) const;
};

/// What a side has been given, in the program's own arrays, in memory of ours.
class KeptSide {
 public:
  /// May be called again where it has thrown. Throws std::bad_alloc.
  void keep(PairSide& side, int ranks);

 private:
  KeptShares blocks_{};
  std::vector<MPI_Datatype> types_{};
};

/// As the program gave them.
struct VectorExchangeArguments {
  PairSide send;
  PairSide receive;
  MPI_Comm communicator;
};

/// Whether MPI runs it in any case.
[[nodiscard]] inline bool is_left_to_mpi(Collective /*collective*/, const VectorExchangeArguments& /*given*/) {
  return !watching.load(std::memory_order_relaxed);
}

class VectorExchange final : public UserCall {
 public:
  using Native = int(const VectorExchangeArguments& given);

  VectorExchange(Collective collective, const VectorExchangeArguments& given, Native* native);

  [[nodiscard]] const Arguments& arguments() const override { return arguments_; }
  [[nodiscard]] bool has_shares() const override { return true; }
  [[nodiscard]] OwnLengths own_lengths(int rank, int ranks) const override;
  [[nodiscard]] bool is_doubtful(int rank) const override;
  [[nodiscard]] int judged(MPI_Comm alone, int rank) const override;
  [[nodiscard]] std::vector<MPI_Datatype> types(int ranks) const override;
  [[nodiscard]] int native() const override { return native_(given_); }
  void keep_counts(int ranks) override;
  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override;
  void succeeded() noexcept override {
    if (before_) before_->let_go();
  }

 private:
  [[nodiscard]] bool is_in_place() const { return given_.send.buffer == MPI_IN_PLACE; }
  /// What this rank sends: of a call in place, the same as it receives.
  [[nodiscard]] const PairSide& sent() const { return is_in_place() ? given_.receive : given_.send; }
  [[nodiscard]] int judged_block(MPI_Comm alone, int rank) const;

  VectorExchangeArguments given_;
  KeptSide kept_send_{};
  KeptSide kept_receive_{};
  Arguments arguments_;
  Native* native_;
  std::vector<std::unique_ptr<Message>> messages_{};  ///< that blocks are, or one of all that is sent
  std::optional<KeptForSends> before_{};              ///< what is sent, where it lies in place
  Exchanged exchanged_{};
};

}  // namespace trunkline::runtime
