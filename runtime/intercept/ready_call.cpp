// SPDX-License-Identifier: Apache-2.0
#include "intercept/ready_call.hpp"

#include <exception>
#include <utility>

#include "communicator/explain.hpp"
#include "datatype/predefined.hpp"
#include "intercept/operations.hpp"
#include "intercept/state.hpp"
#include "reserve.hpp"

namespace trunkline::runtime {

HeldForCall::HeldForCall(const UserCall& call) noexcept : made_of_types_(call.types()), operation_(call.operation()) {
  for (MPI_Datatype& one : made_of_types_) {
    const MPI_Datatype type = std::exchange(one, MPI_DATATYPE_NULL);
    if (type != MPI_DATATYPE_NULL && !predefined_bytes(type)) static_cast<void>(PMPI_Type_contiguous(1, type, &one));
  }
  if (operation_ != MPI_OP_NULL) hold_operation(operation_);
}

HeldForCall::~HeldForCall() {
  for (MPI_Datatype& one : made_of_types_) {
    if (one != MPI_DATATYPE_NULL) PMPI_Type_free(&one);
  }
  if (operation_ != MPI_OP_NULL) let_go_of_operation(operation_);
}

Ready make_ready(std::unique_ptr<UserCall> user, bool is_persistent) {
  std::optional<SharedFacts> shared;
  const int code = find_shared_facts(*user, shared);
  if (code != MPI_SUCCESS) return {.code = code};
  if (!shared) return {};
  Prepared prepared = prepare_to_start(*user, *shared, is_persistent);
  if (prepared.code != MPI_SUCCESS) return {.code = prepared.code};
  if (prepared.communicator == nullptr) {
    if (world()->explain && shared->rank == 0) explain_nonblocking(*user, *shared, prepared, {});
    return {};
  }
  prepared.communicator = nullptr;
  with_reserve([&] { user->keep_counts(shared->ranks); });
  return {.call = with_reserve([&] { return std::make_shared<const ReadyCall>(std::move(user), *shared, prepared); })};
}

void explain_nonblocking(const UserCall& user, const SharedFacts& shared, const Prepared& prepared,
                         std::optional<double> took_s) {
  const Arguments& arguments = user.arguments();
  const bool has_bytes = facts_of(arguments.collective).has_data;
  try {
    explain({.collective = arguments.collective,
             .is_blocking = false,
             .ranks = shared.ranks,
             .root = arguments.root,
             .bytes = has_bytes ? std::optional(shared.bytes) : std::nullopt,
             .communicator_id = prepared.number != nullptr ? prepared.number->number() : 0,
             .measured_s = took_s},
            *prepared.decision);
  } catch (const std::exception&) {  // it goes on without the words
  }
}

}  // namespace trunkline::runtime
