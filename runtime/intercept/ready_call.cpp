// SPDX-License-Identifier: Apache-2.0
#include "intercept/ready_call.hpp"

#include <exception>
#include <utility>

#include "communicator/explain.hpp"
#include "datatype/predefined.hpp"
#include "intercept/counted.hpp"
#include "intercept/operations.hpp"
#include "intercept/state.hpp"
#include "intercept/traced.hpp"
#include "reserve.hpp"

namespace trunkline::runtime {

HeldForCall::HeldForCall(std::vector<MPI_Datatype> types, MPI_Op operation) noexcept
    : made_of_types_(std::move(types)), operation_(operation) {
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

Ready make_ready(std::unique_ptr<UserCall> user, CallForm form) {
  std::optional<SharedFacts> shared;
  const int code = find_shared_facts(*user, shared);
  if (code != MPI_SUCCESS) return {.code = code};
  if (!shared) {
    const Arguments& arguments = user->arguments();
    if (form == CallForm::started) count_call(arguments, known_bytes(arguments), "native", {}, {.form = form});
    return {};
  }
  Prepared prepared = prepare_to_start(*user, *shared, form);
  if (prepared.code != MPI_SUCCESS) return {.code = prepared.code};
  if (prepared.communicator == nullptr) {
    tell(*user, *shared, prepared, form, {});
    return {};
  }
  prepared.communicator = nullptr;
  std::vector<MPI_Datatype> types;
  with_reserve([&] {
    types = user->types(shared->ranks);
    user->keep_counts(shared->ranks);
  });
  return {.call = with_reserve([&] {
            return std::make_shared<const ReadyCall>(std::move(user), std::move(types), *shared, prepared, form);
          })};
}

bool are_told() { return world()->explain || receipt() != nullptr; }

/// Starts of persistent calls that the MPI library runs are not seen.
void tell(const UserCall& user, const SharedFacts& shared, const Prepared& prepared, CallForm form,
          std::optional<double> under_way_s) {
  const Arguments& arguments = user.arguments();
  if (under_way_s || form == CallForm::started) {
    count_call(arguments, shared.bytes, under_way_s ? prepared.decision->plan->name : "native", Why::of(prepared),
               {.form = form, .seconds = under_way_s.value_or(0.0)});
  }
  if (!world()->explain || shared.rank != 0) return;
  const bool has_bytes = facts_of(arguments.collective).has_data && shared.bytes != unknown_bytes;
  try {
    explain({.collective = arguments.collective,
             .is_blocking = false,
             .ranks = shared.ranks,
             .root = arguments.root,
             .bytes = has_bytes ? std::optional(shared.bytes) : std::nullopt,
             .communicator_id = prepared.number != nullptr ? prepared.number->number() : 0,
             .multicast = prepared.multicast,
             .measured_s = under_way_s},
            *prepared.decision);
  } catch (const std::exception&) {  // it goes on without the words
  }
}

}  // namespace trunkline::runtime
