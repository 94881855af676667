// SPDX-License-Identifier: Apache-2.0
#include "intercept/prepare.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "choose/size_class.hpp"
#include "communicator/learning.hpp"
#include "communicator/owing.hpp"
#include "intercept/state.hpp"
#include "intercept/under_way.hpp"
#include "report.hpp"
#include "reserve.hpp"
#include "trace/format.hpp"

namespace trunkline::runtime {
namespace {

Prepared natively(const char* reason, ChosenBy chooser = ChosenBy::none) {
  Prepared made{.chosen_by = chooser, .why = reason};
  if (world()->explain) {
    made.decision = std::make_shared<const LocalDecision>(LocalDecision{.reason = reason, .chosen_by = chooser});
  }
  return made;
}

constexpr const char* put_off =
    "first calls on a communicator: native until plans would have saved what agreeing on its number costs";

std::string name_of(const Arguments& call) { return std::string(facts_of(call.collective).mpi_name); }

/// What the plans say; where laying them fails, native. It fails on all ranks alike, since it depends on what they know
/// alike, and before any message.
std::shared_ptr<const LocalDecision> plan(Members& members, const UserCall& user, const SharedFacts& shared,
                                          const Wish& wish) {
  const Arguments& call = user.arguments();
  try {
    return with_reserve([&] {
      return members.decide(call.collective, static_cast<Rank>(call.root), shared.bytes, user.operand_order(), wish);
    });
  } catch (const std::exception& error) {
    if (world()->strict) end_job("no plan for " + name_of(call) + ": " + error.what());
    static std::once_flag said;
    if (shared.rank == 0) {
      std::call_once(said, [&] {
        warn("no plan for " + name_of(call) + ": " + error.what() +
             "\ntrunkline: warning: it runs natively there (TRUNKLINE_STRICT=1 ends the job instead); please report "
             "this "
             "with the cluster file");
      });
    }
    return std::make_shared<const LocalDecision>(
        LocalDecision{.reason = std::string("no plan could be laid: ") + error.what()});
  }
}

/// Whether the job may try for this call what it likes. The same on all ranks.
bool may_be_tried(const UserCall& user, const LocalDecision& decision) {
  if (world()->learn == Learn::none || decision.chosen_by != ChosenBy::prediction) return false;
  // What is known and never tried is the same throughout the job.
  return world()->learn != Learn::exact || user.is_exact();
}

/// In place of a decision, the one of a trial, or of what trials have found.
int try_out(const UserCall& user, const SharedFacts& shared, Communicator& communicator, Prepared& prepared) {
  const Arguments& call = user.arguments();
  Learning& learning = communicator.learning();
  const int code = learning.begin_call(call.communicator, shared.ranks, shared.bytes);
  if (code != MPI_SUCCESS) return code;
  const OperandOrder order = user.operand_order();
  const auto root = static_cast<Rank>(call.root);
  const TrialKey key{.collective = call.collective,
                     .root = call.root,
                     .bytes = size_class(shared.bytes, {}).least_bytes,
                     .order = order};
  const LocalDecision& untried = *prepared.decision;
  const Arm runs =
      untried.plan == nullptr ? Arm{} : Arm{.algorithm = untried.plan->key, .segment_bytes = untried.segment_bytes};
  const auto arms = [&] {
    return with_reserve([&] { return communicator.members()->arms(call.collective, root, shared.bytes, order, runs); });
  };
  if (!learning.knows(key)) {
    if (!learning.may_add(key)) return code;
    learning.add(key, arms());
  } else if (learning.runs_another(runs.algorithm)) {
    learning.begin_anew(arms());
  }
  const auto [arm, is_trial, is_first, is_known] = learning.choose();
  prepared.learning = &learning;
  if (is_first) return code;
  const Wish wish{.kind = is_trial   ? Wish::Kind::tried
                          : is_known ? Wish::Kind::known
                                     : Wish::Kind::found,
                  .algorithm = arm.algorithm,
                  .segment_bytes = arm.segment_bytes};
  prepared.decision = plan(*communicator.members(), user, shared, wish);
  return code;
}

struct OnLengths {
  int code = MPI_SUCCESS;
  const char* why_native = nullptr;  ///< whatever they are; null: it need not be
};

constexpr const char* cannot_wait =
    "a call that does not block cannot wait until its ranks agree: the next collective on its communicator that blocks "
    "does";

/// Of a call whose lengths each rank knows alone: how long its blocks are on average.
OnLengths agree_on_lengths(const UserCall& user, SharedFacts& shared, Communicator& communicator, CallForm form) {
  const Members& members = *communicator.members();
  const Knowledge& known = members.world().knowledge;
  const bool may_choose = wish_for(user.arguments().collective).kind != Wish::Kind::forced && known.plans.empty() &&
                          known.tuned_plans.empty() && !known.tuning;
  if (may_choose && is_one_host(*members.processes().placement)) return {.why_native = "all ranks on one host"};
  AgreedLengths& lengths = communicator.lengths();
  if (form == CallForm::blocking) shared.lengths = &lengths;
  int code = MPI_SUCCESS;
  if (form == CallForm::persistent || lengths.is_due()) {
    const OwnLengths own = user.own_lengths(shared.rank, shared.ranks);
    if (form == CallForm::started) {
      lengths.owe(own);
    } else {
      code = lengths.add_up(user.arguments().communicator, shared.ranks, own);
    }
  }
  if (!lengths.are_known()) return {.code = code, .why_native = cannot_wait};
  shared.bytes = lengths.block_bytes();
  const bool is_left = may_choose && lengths.are_sparse();
  return {.code = code, .why_native = is_left ? "most pairs of ranks have nothing for each other" : nullptr};
}

/// What MPI runs whatever the plans say.
std::optional<Prepared> native_anyway(const UserCall& user, const SharedFacts& shared) {
  if (shared.native != nullptr) {
    const bool is_wish = wish_for(user.arguments().collective).kind == Wish::Kind::native;
    return natively(shared.native, is_wish ? ChosenBy::user : ChosenBy::none);
  }
  if (const char* const reason = user.reason_for_mpi()) return natively(reason);
  return {};
}

constexpr const char* no_number = "no number for the communicator: too many of them, or threads at once";
constexpr const char* far_process = "a process outside MPI_COMM_WORLD, whose host is not known";

/// Decides, and finds what the call needs, as far as that is there.
Prepared prepare_to_start_on(Communicator& communicator, const UserCall& user, SharedFacts& shared, CallForm form) {
  const bool is_persistent = form == CallForm::persistent;
  if (shared.bytes == unknown_bytes) {
    const OnLengths agreed = agree_on_lengths(user, shared, communicator, form);
    if (agreed.code != MPI_SUCCESS) return {.code = agreed.code};
    if (agreed.why_native != nullptr) return natively(agreed.why_native);
  }
  Prepared prepared{.decision = plan(*communicator.members(), user, shared, wish_for(user.arguments().collective))};
  if (prepared.decision->plan != nullptr && prepared.decision->plan->part->uses_datagrams()) {
    const std::shared_ptr<const LocalDecision> decision = prepared.decision;
    if (!is_persistent && !world()->has_threads) {
      Grouping& groups = communicator.grouping(decision->plan->part->datagram_groups());
      prepared.group = groups.to_start(decision->saved_s, decision->opening_s);
      prepared.multicast = groups.words();
    }
    if (prepared.group == nullptr && decision->without_datagrams != nullptr) {
      prepared.decision = decision->without_datagrams;
    }
  }
  if (prepared.decision->plan == nullptr) return prepared;
  prepared.number = communicator.known_number();
  if (is_persistent) {
    const Communicator::Numbered own = communicator.number_apart();
    if (own.code != MPI_SUCCESS) return {.code = own.code};
    if (own.number == nullptr) return natively(no_number);
    prepared.number = own.number;
  } else if (prepared.number == nullptr) {
    const bool would_have_paid = communicator.pays_for_its_number(*prepared.decision);
    communicator.runs_without_number(would_have_paid, user.is_exact());
    return natively(would_have_paid ? cannot_wait : put_off);
  } else if (!user.is_exact() && communicator.has_left_sums()) {
    return natively("a reduction that has run natively before its communicator had a number");
  }
  if (prepared.decision->by_arrival) {  // shelves are for one call at a time
    prepared.decision = with_reserve([&] {
      auto own = std::make_shared<LocalDecision>(*prepared.decision);
      own->by_arrival = false;
      return own;
    });
  }
  prepared.communicator = &communicator;
  prepared.members = communicator.members();
  return prepared;
}

}  // namespace

Prepared prepare(const UserCall& user, SharedFacts& shared) {
  const Arguments& call = user.arguments();
  if (const auto native = native_anyway(user, shared)) return *native;
  const Communicator::Found found =
      Communicator::of(call.communicator, *world(), *private_communicator(), shared.rank, shared.ranks);
  if (found.code != MPI_SUCCESS) return {.code = found.code};
  if (found.state->members() == nullptr) return natively(far_process);
  if (shared.bytes == unknown_bytes) {
    const OnLengths agreed = agree_on_lengths(user, shared, *found.state, CallForm::blocking);
    if (agreed.code != MPI_SUCCESS) return {.code = agreed.code};
    if (agreed.why_native != nullptr) return natively(agreed.why_native);
  }
  if (world()->follow) {
    const int code = found.state->follow(*world(), shared.bytes);
    if (code != MPI_SUCCESS) return {.code = code};
  }
  Prepared prepared{.decision = plan(*found.state->members(), user, shared, wish_for(call.collective))};
  bool is_grouped = false;
  if (prepared.decision->plan != nullptr && prepared.decision->plan->part->uses_datagrams()) {
    const int code = wait_for_meetings(call.communicator, found.state->known_number().get());
    if (code != MPI_SUCCESS) return {.code = code};
  }
  const std::function<int()> before_they_meet = [&] {
    return wait_for_multicasts(call.communicator, found.state->known_number().get());
  };
  if (prepared.decision->without_datagrams != nullptr) {
    const std::shared_ptr<const LocalDecision> decision = prepared.decision;
    Grouping& groups = found.state->grouping(decision->plan->part->datagram_groups());
    const Grouped grouped = groups.use_where_it_pays(decision->saved_s, decision->opening_s, before_they_meet);
    if (grouped.code != MPI_SUCCESS) return {.code = grouped.code};
    prepared.multicast = groups.words();
    prepared.group = grouped.group;
    prepared.have_met = grouped.have_met;
    is_grouped = grouped.are_open;
    if (!is_grouped) prepared.decision = decision->without_datagrams;
  }
  const bool may_be_put_off = prepared.decision->plan != nullptr && !is_grouped;
  if (may_be_put_off && !found.state->pays_for_its_number(*prepared.decision)) {
    Prepared made = natively(put_off);
    made.multicast = prepared.multicast;
    return made;
  }
  if (may_be_tried(user, *prepared.decision)) {
    const std::shared_ptr<const LocalDecision> untried = prepared.decision;
    const int code = try_out(user, shared, *found.state, prepared);
    if (code != MPI_SUCCESS) return {.code = code};
    if (prepared.decision != untried) {
      prepared.group = nullptr;
      is_grouped = false;
    }
  }
  if (prepared.decision->plan == nullptr) return prepared;
  const Communicator::Numbered number = found.state->number();
  if (number.code != MPI_SUCCESS) return {.code = number.code};
  if (number.number == nullptr) {
    Prepared made = natively(no_number);
    made.learning = prepared.learning;
    return made;
  }
  const NumberInUse::Turn turn = number.number->next_turn(private_communicator()->tags());
  if (const int code = wait_for_turn(call.communicator, *number.number, turn); code != MPI_SUCCESS) {
    return {.code = code};
  }
  if (turn.meets) {
    const int code = PMPI_Barrier(call.communicator);
    if (code != MPI_SUCCESS) return {.code = code};
  }
  if (!is_grouped && prepared.decision->plan->part->uses_datagrams()) {  // forced, or a plan of a file
    Grouping& groups = found.state->grouping(prepared.decision->plan->part->datagram_groups());
    const Grouped grouped = groups.use(before_they_meet);
    if (grouped.code != MPI_SUCCESS) return {.code = grouped.code};
    prepared.group = grouped.group;
    prepared.have_met = grouped.have_met;
    prepared.multicast = groups.words();
  }
  prepared.communicator = found.state;
  prepared.members = found.state->members();
  prepared.number = number.number;
  prepared.turn = turn.turn;
  return prepared;
}

void leave_out_datagrams(Prepared& prepared) {
  prepared.group = nullptr;
  const std::shared_ptr<const LocalDecision> without = prepared.decision->without_datagrams;
  if (without != nullptr && without->plan != nullptr && !without->by_arrival) prepared.decision = without;
}

Prepared prepare_to_start(const UserCall& user, SharedFacts& shared, CallForm form) {
  const Arguments& call = user.arguments();
  if (const auto native = native_anyway(user, shared)) return *native;
  if (!world()->goes_on) {
    return natively("the MPI library lets no calls of others go on within its own (docs/limits.md, which ones do)");
  }
  if (world()->follow) return natively("a call that does not block, in a job that follows its cluster file");
  const Communicator::Found found =
      Communicator::of(call.communicator, *world(), *private_communicator(), shared.rank, shared.ranks);
  if (found.code != MPI_SUCCESS) return {.code = found.code};
  if (found.state->members() == nullptr) return natively(far_process);
  Prepared prepared = prepare_to_start_on(*found.state, user, shared, form);
  if (found.state->owes()) begins_to_owe(call.communicator);
  return prepared;
}

}  // namespace trunkline::runtime
