// SPDX-License-Identifier: Apache-2.0
#include "intercept/root_shares.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "communicator/communicator.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {
namespace {

bool is_root_of(const RootShareArguments& given) {
  if (given.communicator == MPI_COMM_NULL || given.root < 0 || Dying::is(given.communicator)) return false;
  int rank = -1;
  return PMPI_Comm_rank(given.communicator, &rank) == MPI_SUCCESS && rank == given.root;
}

}  // namespace

RootShareCall::RootShareCall(Collective collective, const RootShareArguments& given, Native* native)
    : given_(given),
      gathers_(facts_of(collective).after == Holding::all_at_root),
      is_root_(is_root_of(given)),
      native_(native) {
  const bool receives = gathers_ == is_root_;
  arguments_ = {.collective = collective,
                .buffer = receives ? given.receive : given.send,
                .count = receives ? given.receive_count : given.send_count,
                .type = receives ? given.receive_type : given.send_type,
                .root = given.root,
                .communicator = given.communicator};
}

RootShareCall::Own RootShareCall::own() const {
  if (gathers_) return {const_cast<void*>(given_.send), given_.send_count, given_.send_type};
  return {given_.receive, given_.receive_count, given_.receive_type};
}

bool RootShareCall::is_doubtful(int rank) const {
  if (is_null(arguments_.buffer, arguments_.type)) return true;
  const auto [buffer, count, type] = own();
  if (!is_root_ || buffer == MPI_IN_PLACE) return false;
  if (count < 0 || type == MPI_DATATYPE_NULL || !type_bytes(type)) return true;
  if (count == 0) return false;
  return is_null(buffer, type) ||
         buffer == forbidden_place(arguments_.buffer, arguments_.type, rank * arguments_.count);
}

/// Alone, the root's share is all there is. What another rank gives is judged as any message is.
int RootShareCall::judged(MPI_Comm alone, int rank) const {
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

Running RootShareCall::begin(Transport& transport, const LocalDecision& decision) {
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

}  // namespace trunkline::runtime
