// SPDX-License-Identifier: Apache-2.0
// MPI_Gather and MPI_Scatter at MPI's edge, in all their forms.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "communicator/communicator.hpp"
#include "datatype/message.hpp"
#include "datatype/shares_at_root.hpp"
#include "intercept/call.hpp"
#include "intercept/entry_points.hpp"
#include "intercept/short_calls.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {
namespace {

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
[[nodiscard]] bool is_left_to_mpi(Collective collective, const RootShareArguments& given) {
  const bool gathers = collective == Collective::gather;
  const bool is_there = (gathers ? given.send : given.receive) == MPI_IN_PLACE;
  const bool sends = gathers != is_there;
  return is_left_to_mpi_of_each(collective, sends ? given.send_count : given.receive_count,
                                sends ? given.send_type : given.receive_type);
}

bool is_root_of(const RootShareArguments& given) {
  if (given.communicator == MPI_COMM_NULL || given.root < 0 || Dying::is(given.communicator)) return false;
  int rank = -1;
  return PMPI_Comm_rank(given.communicator, &rank) == MPI_SUCCESS && rank == given.root;
}

class RootShareCall final : public CallOf<RootShareArguments> {
 public:
  RootShareCall(Collective collective, const RootShareArguments& given, Native* native)
      : CallOf(given, native, {}),
        gathers_(facts_of(collective).after == Holding::all_at_root),
        is_root_(is_root_of(given)) {
    const bool receives = gathers_ == is_root_;
    // At the root of all shares, each `count` long; else of the rank's own.
    arguments_ = {.collective = collective,
                  .buffer = receives ? given.receive : given.send,
                  .count = receives ? given.receive_count : given.send_count,
                  .type = receives ? given.receive_type : given.send_type,
                  .root = given.root,
                  .communicator = given.communicator};
  }

  [[nodiscard]] MPI_Count elements(int ranks) const override { return arguments_.count * ranks; }
  [[nodiscard]] bool has_shares() const override { return true; }
  [[nodiscard]] bool is_doubtful(int rank) const override {
    if (is_null(arguments_.buffer, arguments_.type)) return true;
    const auto [buffer, count, type] = own();
    if (!is_root_ || buffer == MPI_IN_PLACE) return false;
    if (count < 0 || type == MPI_DATATYPE_NULL || !type_bytes(type)) return true;
    if (count == 0) return false;
    return is_null(buffer, type) ||
           buffer == forbidden_place(arguments_.buffer, arguments_.type, rank * arguments_.count);
  }

  /// Alone, the root's share is all there is. What another rank gives is judged as any message is.
  [[nodiscard]] int judged(MPI_Comm alone, int rank) const override {
    if (!is_root_) {
      constexpr MPI_Count longest = std::numeric_limits<int>::max();
      const auto count = static_cast<int>(std::min(arguments_.count, longest));
      return PMPI_Bcast(const_cast<void*>(arguments_.buffer), count, arguments_.type, 0, alone);
    }
    RootShareArguments own_alone = given_;
    own_alone.communicator = alone;
    own_alone.root = 0;
    if (!is_null(arguments_.buffer, arguments_.type)) {
      const MPI_Count start = rank * arguments_.count;
      void* const buffer = own().buffer;
      void* const place = buffer == forbidden_place(arguments_.buffer, arguments_.type, start)
                              ? buffer
                              : element_place(arguments_.buffer, arguments_.type, start);
      (gathers_ ? own_alone.receive : const_cast<void*&>(own_alone.send)) = place;
    }
    return native_(own_alone);
  }

  [[nodiscard]] std::vector<MPI_Datatype> types(int /*ranks*/) const override {
    return {arguments_.type, own().buffer == MPI_IN_PLACE ? MPI_DATATYPE_NULL : own().type};
  }

  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override {
    const MPI_Comm silent = private_communicator()->communicator();
    const int ranks = transport.ranks();
    const auto [buffer, count, type] = own();
    if (buffer != MPI_IN_PLACE) own_share_.emplace(buffer, count, type, silent);
    if (is_root_) all_.emplace(const_cast<void*>(arguments_.buffer), ranks * arguments_.count, arguments_.type, silent);
    shares_ = {.all = all_ ? &*all_ : nullptr,
               .own = own_share_ ? &*own_share_ : nullptr,
               .share_bytes = all_ ? all_->bytes() / static_cast<std::uint64_t>(ranks) : own_share_->bytes(),
               .gathers = gathers_};
    return decision.plan->part->share(transport, shares_, decision.pace());
  }

 private:
  /// A rank's own share, at the root too.
  struct Own {
    void* buffer;
    MPI_Count count;
    MPI_Datatype type;
  };
  [[nodiscard]] Own own() const {
    if (gathers_) return {const_cast<void*>(given_.send), given_.send_count, given_.send_type};
    return {given_.receive, given_.receive_count, given_.receive_type};
  }

  bool gathers_;
  bool is_root_;
  std::optional<Message> own_share_{};  ///< none where it lies where it belongs
  std::optional<Message> all_{};        ///< at the root
  RootShares shares_{};
};

template <class Count>
int pass_root_shares(auto* next, const RootShareArguments& a, auto... more) {
  return next(a.send, static_cast<Count>(a.send_count), a.send_type, a.receive, static_cast<Count>(a.receive_count),
              a.receive_type, a.root, a.communicator, more...);
}

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start)                                                                  \
  const void *send, Count send_count, MPI_Datatype send_type, void *receive, Count receive_count, \
      MPI_Datatype receive_type, int root, MPI_Comm communicator
#define GIVEN \
  { send, send_count, send_type, receive, receive_count, receive_type, root, communicator }

TRUNKLINE_ENTRY_POINTS(Gather, gather, pass_root_shares, Collective::gather, RootShareCall, RootShareArguments)
TRUNKLINE_ENTRY_POINTS(Scatter, scatter, pass_root_shares, Collective::scatter, RootShareCall, RootShareArguments)

#undef PARAMETERS
#undef GIVEN
