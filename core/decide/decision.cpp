// SPDX-License-Identifier: Apache-2.0
#include "decide/decision.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "algorithms/registry.hpp"
#include "choose/choose.hpp"
#include "choose/late_costs.hpp"
#include "network/long_links.hpp"
#include "network/placement.hpp"
#include "text/quantity.hpp"

namespace trunkline {
namespace {

/// For a forced algorithm without a cluster: below every transport's eager limit, and most of its peak bandwidth.
constexpr std::uint64_t segment_without_cluster = 8192;

constexpr const char* by_user = "chosen by the user (a setting, or trunkline_set)";

constexpr const char* no_memory = "all ranks on one host, and they share no memory (TRUNKLINE_HOST_MEMORY)";
constexpr const char* fastest_on_one_host = "all ranks on one host, where the library is the fastest up to this size";

const Alternatives& without_memory() {
  static const Alternatives none{.why_none = no_memory};
  return none;
}

const Alternatives& too_short_for_any() {
  static const Alternatives none{.why_none = below_least_bytes};
  return none;
}

const char* too_short(const Knowledge& knowledge) {
  if (knowledge.is_one_host) return knowledge.host_memory ? fastest_on_one_host : no_memory;
  return knowledge.tuning ? "shorter than what the tuning file accelerates anywhere (TRUNKLINE_TUNING)"
                          : below_least_bytes;
}

bool is_by_size(Collective collective, std::string_view algorithm) {
  const auto known = find_algorithm(collective, algorithm);
  return known && known->by_size;
}

/// Null: it is not by trials.
const char* reason_of_trials(Wish::Kind kind) {
  switch (kind) {
    case Wish::Kind::tried:
      return "a trial (TRUNKLINE_LEARN)";
    case Wish::Kind::found:
      return "the fastest in this job's trials (TRUNKLINE_LEARN)";
    case Wish::Kind::known:
      return "the fastest in earlier jobs' trials (TRUNKLINE_LEARNED)";
    case Wish::Kind::automatic:
    case Wish::Kind::native:
    case Wish::Kind::forced:
      return nullptr;
  }
  return nullptr;
}

/// Of a decision. What is predicted is compared with plans that are there, so only what a user or a tuning file names
/// may depend on the size.
std::uint64_t laid_for_call(Collective collective, std::string_view algorithm, std::uint64_t bytes) {
  return is_by_size(collective, algorithm) ? laid_for(bytes) : 0;
}

}  // namespace

std::string_view name_of(ChosenBy chooser) {
  switch (chooser) {
    case ChosenBy::none:
      return "none";
    case ChosenBy::user:
      return "user";
    case ChosenBy::plan:
      return "plan";
    case ChosenBy::tuning:
      return "tuning";
    case ChosenBy::reproducible:
      return "reproducible";
    case ChosenBy::prediction:
      return "prediction";
    case ChosenBy::trials:
      return "trials";
  }
  return "";
}

const char* native_anyway(const Knowledge& knowledge, Collective collective, const Wish& wish, std::uint64_t bytes) {
  if (wish.kind == Wish::Kind::native) return by_user;
  if (wish.kind == Wish::Kind::forced) return nullptr;
  if (knowledge.keeps_one_order(collective)) return nullptr;
  if (bytes < knowledge.floor_of(collective)) return too_short(knowledge);
  return knowledge.cluster || !knowledge.plans.empty() ? nullptr : "no cluster is set (TRUNKLINE_CLUSTER)";
}

std::uint64_t native_anyway_below(const Knowledge& knowledge, Collective collective, const Wish& wish) {
  constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  if (wish.kind == Wish::Kind::native) return all;
  if (wish.kind == Wish::Kind::forced || knowledge.keeps_one_order(collective)) return 0;
  return knowledge.cluster || !knowledge.plans.empty() ? knowledge.floor_of(collective) : all;
}

Decider::Decider(const Knowledge& knowledge, Collective collective, const Placement& placement, Rank root)
    : knowledge_(knowledge), collective_(collective), placement_(placement), root_(root) {}

Decision Decider::decide(std::uint64_t bytes, OperandOrder order, const Wish& wish, bool for_people, Reach reach) {
  if (const char* const reason = native_anyway(knowledge_, collective_, wish, bytes)) {
    return {.reason = for_people ? reason : "",
            .chosen_by = wish.kind == Wish::Kind::native ? ChosenBy::user : ChosenBy::none};
  }
  Decision decision = considered(bytes, order, wish, for_people, knowledge_.multicasts ? reach : Reach::messages);
  if (order == OperandOrder::any || decision.is_native() || keeps_order(decision)) {
    if (for_people) decision.predicted_s = predicted_s(decision, bytes);
    return decision;
  }
  return {.reason = "the operation does not commute, and " + std::string(decision.algorithm) +
                    " would not combine its operands in rank order"};
}

Decision Decider::considered(std::uint64_t bytes, OperandOrder order, const Wish& wish, bool for_people, Reach reach) {
  if (wish.kind == Wish::Kind::forced) return forced(bytes, wish);
  if (const char* const by_trials = reason_of_trials(wish.kind)) {
    return {.algorithm = wish.algorithm,
            .segment_bytes = wish.segment_bytes,
            .laid_for_bytes = laid_for_call(collective_, wish.algorithm, bytes),
            .reason = by_trials,
            .chosen_by = ChosenBy::trials};
  }
  if (const GivenPlan* const plan = plan_for(bytes)) return planned(bytes, *plan);
  if (knowledge_.keeps_one_order(collective_)) return in_one_order(bytes, order, for_people);
  if (bytes < floor_bytes() && !knowledge_.takes_short_calls(collective_)) {
    return {.reason = for_people ? no_plan() + too_short(knowledge_) : ""};
  }
  if (const TuningEntry* const entry = tuning_entry()) {
    const TuningRule& rule = entry->rule_for(bytes);
    if (can_run(rule, reach)) return tuned(bytes, rule);
  }
  return automatic(bytes, order, for_people, reach);
}

Decision Decider::forced(std::uint64_t bytes, const Wish& wish) {
  return {.algorithm = wish.algorithm,
          .segment_bytes = wish.segment_bytes != 0 ? wish.segment_bytes : segment_for(wish.algorithm, bytes),
          .laid_for_bytes = laid_for_call(collective_, wish.algorithm, bytes),
          .reason = by_user,
          .chosen_by = ChosenBy::user};
}

Decision Decider::planned(std::uint64_t bytes, const GivenPlan& plan) {
  const PlanFile& file = *plan.file;
  const std::string sizes = sizes_text(file);
  return {.algorithm = plan.name,
          .segment_bytes = file.segment_bytes ? *file.segment_bytes : segment_for(plan.name, bytes),
          .reason = "TRUNKLINE_PLAN fits this communicator and root (" + file.algorithm +
                    (file.line != 0 ? ", line " + std::to_string(file.line) : "") + (sizes.empty() ? "" : ", ") +
                    sizes + ")",
          .chosen_by = ChosenBy::plan};
}

Decision Decider::tuned(std::uint64_t bytes, const TuningRule& rule) {
  if (const GivenPlan* const plan = plan_of(rule)) {
    return {.algorithm = plan->name,
            .segment_bytes = rule.segment_bytes != 0 ? rule.segment_bytes : segment_for(plan->name, bytes),
            .reason = "the plan of line " + std::to_string(plan->file->line) + " (" + plan->file->algorithm +
                      ") holds from " + format_bytes(rule.from_bytes) + " on (TRUNKLINE_TUNING)",
            .chosen_by = ChosenBy::tuning,
            .wants_datagrams = plan->file->plan.kind().wants_datagrams};
  }
  return {.algorithm = find_algorithm(collective_, rule.algorithm)->name,
          .segment_bytes = rule.segment_bytes,
          .laid_for_bytes = laid_for_call(collective_, rule.algorithm, bytes),
          .reason = "measured fastest from " + format_bytes(rule.from_bytes) + " on (TRUNKLINE_TUNING)",
          .chosen_by = ChosenBy::tuning,
          .wants_datagrams = wants_datagrams(rule.algorithm)};
}

Decision Decider::in_one_order(std::uint64_t bytes, OperandOrder order, bool for_people) {
  const std::string_view algorithm = one_order(order);
  if (algorithm.empty()) return {.reason = "no plan keeps operands in rank order that do not commute"};
  Decision decision{
      .algorithm = algorithm, .segment_bytes = segment_for(algorithm, bytes), .chosen_by = ChosenBy::reproducible};
  if (!for_people) return decision;
  decision.reason = no_plan() + "one order of operands for every size (TRUNKLINE_REPRODUCIBLE)";
  const Alternatives* const known = alternatives();
  if (known != nullptr && !known->laid.empty()) decision.reason += "; otherwise " + choose(*known, bytes, order).reason;
  return decision;
}

Decision Decider::automatic(std::uint64_t bytes, OperandOrder order, bool for_people, Reach reach) {
  const Alternatives* const known = alternatives_for(bytes);
  if (known == nullptr) return {.reason = no_plan() + "no cluster is set (TRUNKLINE_CLUSTER)"};
  if (is_short(bytes) && !knowledge_.takes_short_calls(collective_)) reach = Reach::messages;
  const Pick best = (is_short(bytes) ? short_picks_ : picks_).pick(*known, bytes, order, reach);
  return {.algorithm = best.algorithm,
          .segment_bytes = best.segment_bytes,
          .laid_for_bytes = laid_for_call(collective_, best.algorithm, bytes),
          .reason = for_people ? no_plan() + choose(*known, bytes, order, reach).reason +
                                     (knowledge_.measured ? " (" + std::string(knowledge_.measured_by) + ")" : "")
                               : "",
          .chosen_by = known->laid.empty() ? ChosenBy::none : ChosenBy::prediction,
          .wants_datagrams = wants_datagrams(best.algorithm),
          // A reduction's first call must combine its operands in the order of those after it.
          .may_wait = best.segment_bytes != 0 && !facts_of(collective_).has_operand_order()};
}

Plan Decider::plan(std::string_view algorithm, std::uint64_t laid_for_bytes) {
  if (last_ && last_->first == PlanKey(algorithm, laid_for_bytes)) {
    Plan plan = std::move(last_->second);
    last_.reset();
    return plan;
  }
  Alternative* const compared = laid_for_bytes == 0 ? alternative(algorithm) : nullptr;
  if (compared != nullptr && compared->plan.has_steps()) {
    return std::exchange(compared->plan, Plan());
  }
  if (const GivenPlan* const given = is_given(algorithm) ? knowledge_.given(algorithm) : nullptr) {
    return given->file->plan;
  }
  return lay(collective_, algorithm, knowledge_.cluster ? &knowledge_.network() : nullptr, placement_, root_,
             laid_for_bytes != 0 ? laid_for_bytes : usual_message_bytes);
}

void Decider::forget_plans() {
  last_.reset();
  for (std::optional<Alternatives>* const laid : {&alternatives_, &short_alternatives_}) {
    if (!*laid) continue;
    for (Alternative& one : (*laid)->laid) one.plan = Plan();
  }
}

std::vector<Prediction> Decider::predictions(std::uint64_t bytes, OperandOrder order, Reach reach) {
  const Alternatives* const known = alternatives();
  return known != nullptr ? choose(*known, bytes, order, reach).predictions : std::vector<Prediction>{};
}

std::vector<Arm> Decider::arms(std::uint64_t bytes, OperandOrder order, const Arm& runs) {
  constexpr double hopeless = 2.0;  // nine predictions in ten are within 1.3 of the true time
  std::vector<Arm> all{runs};
  const std::vector<Prediction> by_time = predictions(bytes, order);
  for (const Prediction& one : by_time) {
    if (one.algorithm == runs.algorithm) all.front().predicted_s = one.seconds;
    if (one.segment_bytes == 0 && !runs.is_native()) all.push_back({.predicted_s = one.seconds});
  }
  for (const Prediction& one : by_time) {
    if (all.size() == most_arms || one.seconds > hopeless * by_time.front().seconds) break;
    if (one.segment_bytes == 0 || one.algorithm == runs.algorithm || wants_datagrams(one.algorithm)) continue;
    all.push_back({.algorithm = one.algorithm, .segment_bytes = one.segment_bytes, .predicted_s = one.seconds});
  }
  return all;
}

bool Decider::wants_datagrams(std::string_view algorithm) const {
  const auto known = find_algorithm(collective_, algorithm);
  return known && !known->is_native() && known->kind->wants_datagrams;
}

double Decider::seconds(const Decision& decision, std::uint64_t bytes) {
  if (decision.is_native()) return native_seconds(*alternatives_for(bytes), bytes);
  return costs(decision.algorithm)->seconds(bytes, std::min(decision.segment_bytes, bytes));
}

std::optional<double> Decider::predicted_s(const Decision& decision, std::uint64_t bytes) {
  if (!knowledge_.cluster) return std::nullopt;
  if (decision.is_native()) {
    const Alternatives* const known = alternatives_for(bytes);
    if (known == nullptr || known->native == nullptr) return std::nullopt;
  }
  return seconds(decision, bytes);
}

double Decider::saved_s(std::uint64_t bytes, const Decision& with, const Decision& without) {
  constexpr double least_of_tuned = 0.1;
  const double with_s = seconds(with, bytes);
  return std::max(seconds(without, bytes) - with_s, least_of_tuned * with_s);
}

double Decider::opening_s(const Decision& with) { return costs(with.algorithm)->opening_s(); }

double Decider::numbering_s() {
  constexpr std::uint64_t bytes = 16;  // the numbers that are free, and a word on who proposes some
  if (!numbering_s_) numbering_s_ = telling_s(bytes);
  return *numbering_s_;
}

double Decider::telling_s(std::uint64_t bytes) {
  const Paths paths(knowledge_.network());
  return native_times(paths, placement_, Collective::allreduce, 0, knowledge_.library.native,
                      knowledge_.message_costs())
      ->seconds(bytes);
}

double Decider::seconds_of(std::string_view algorithm, std::uint64_t bytes, std::uint64_t segment_bytes) {
  const Alternatives* const known = alternatives();
  if (known != nullptr && known->on != nullptr && replays_are_true(*known->on)) {
    const Plan laid = plan(algorithm, is_by_size(collective_, algorithm) ? laid_for(bytes) : 0);
    const auto replayed = replayed_on(*known->on, laid, bytes, segment_bytes, most_events_to_tell);
    if (replayed) return replayed->seconds;
  }
  return costs(algorithm)->seconds(bytes, segment_bytes);
}

std::string_view Decider::one_order(OperandOrder order) {
  auto& algorithm = one_order_.at(static_cast<std::size_t>(order));
  if (!algorithm) algorithm = algorithm_of_one_order(alternatives(), collective_, order, root_);
  return *algorithm;
}

bool Decider::keeps_order(const Decision& decision) {
  if (const Alternative* const compared = alternative(decision.algorithm)) return compared->by_rank;
  const PlanKey key(decision.algorithm, decision.laid_for_bytes);
  auto known = std::ranges::find(by_rank_, key, [](const auto& one) { return one.first; });
  if (known == by_rank_.end()) {
    Plan laid = plan(key.first, key.second);
    known = by_rank_.insert(by_rank_.end(), {key, laid.steps().keeps_rank_order()});
    last_.emplace(key, std::move(laid));
  }
  return known->second;
}

const std::vector<const GivenPlan*>& Decider::fitting_plans() {
  if (!fitting_plans_) {
    fitting_plans_.emplace();
    for (const GivenPlan& one : knowledge_.plans) {
      if (one.fits(collective_, placement_, root_)) fitting_plans_->push_back(&one);
    }
  }
  return *fitting_plans_;
}

const GivenPlan* Decider::plan_for(std::uint64_t bytes) {
  const auto found =
      std::ranges::find_if(fitting_plans(), [&](const auto* one) { return knowledge_.is_for(*one->file, bytes); });
  return found == fitting_plans().end() ? nullptr : *found;
}

const GivenPlan* Decider::plan_of(const TuningRule& rule) const {
  const auto given = std::ranges::find(knowledge_.tuned_plans, rule.plan, &GivenPlan::file);
  if (rule.plan == nullptr || given == knowledge_.tuned_plans.end()) return nullptr;
  return given->fits(collective_, placement_, root_) ? &*given : nullptr;
}

bool Decider::can_run(const TuningRule& rule, Reach reach) const {
  if (rule.plan == nullptr) return reach == Reach::datagrams || !wants_datagrams(rule.algorithm);
  return plan_of(rule) != nullptr && (reach == Reach::datagrams || !rule.plan->plan.kind().wants_datagrams);
}

bool Decider::has_sites() {
  if (!has_sites_) has_sites_ = knowledge_.cluster && spans_sites(*knowledge_.cluster, placement_);
  return *has_sites_;
}

std::uint64_t Decider::floor_bytes() {
  return has_sites() ? std::min(knowledge_.floor_bytes, least_bytes_of_sites) : knowledge_.floor_bytes;
}

std::string Decider::no_plan() {
  if (knowledge_.plans.empty()) return "";
  if (!fitting_plans().empty()) return "TRUNKLINE_PLAN is for messages of other sizes; ";
  const bool is_any =
      std::ranges::any_of(knowledge_.plans, [&](const GivenPlan& one) { return one.file->collective == collective_; });
  if (is_any) return "TRUNKLINE_PLAN is for other ranks, hosts or another root; ";
  return "TRUNKLINE_PLAN has no plan of " + std::string(facts_of(collective_).name) + "; ";
}

const TuningEntry* Decider::tuning_entry() {
  if (!tuning_entry_) {
    tuning_entry_ = knowledge_.tuning ? knowledge_.tuning->find(collective_, placement_) : nullptr;
  }
  return *tuning_entry_;
}

const Alternatives* Decider::alternatives() {
  if (!knowledge_.host_memory && knowledge_.cluster && is_one_host(placement_)) return &without_memory();
  if (!alternatives_ && knowledge_.cluster) {
    alternatives_ = alternatives_of(collective_, knowledge_.network(), placement_, root_, knowledge_.library.native,
                                    knowledge_.message_costs(), knowledge_.multicasts);
  }
  return alternatives_ ? &*alternatives_ : nullptr;
}

const Alternatives* Decider::alternatives_for(std::uint64_t bytes) {
  if (!is_short(bytes) || !takes_short(collective_)) return alternatives();
  if (knowledge_.cluster && is_one_host(placement_)) return &too_short_for_any();
  if (!short_alternatives_ && knowledge_.cluster) {
    short_alternatives_ =
        short_alternatives_of(collective_, knowledge_.network(), placement_, root_, knowledge_.library.native,
                              knowledge_.message_costs(), knowledge_.multicasts);
  }
  if (short_alternatives_ && short_alternatives_->laid.empty()) return &too_short_for_any();
  return short_alternatives_ ? &*short_alternatives_ : nullptr;
}

Alternative* Decider::alternative(std::string_view algorithm) {
  for (std::optional<Alternatives>* const laid : {&alternatives_, &short_alternatives_}) {
    if (!*laid) continue;
    const auto found =
        std::ranges::find((*laid)->laid, algorithm, [](const Alternative& one) { return one.candidate->name; });
    if (found != (*laid)->laid.end()) return &*found;
  }
  return nullptr;
}

std::uint64_t Decider::segment_for(std::string_view algorithm, std::uint64_t bytes) {
  return knowledge_.cluster ? costs(algorithm)->best_segment(bytes) : segment_without_cluster;
}

const Costs& Decider::costs(std::string_view algorithm) {
  if (const Alternative* const compared = alternative(algorithm)) return compared->costs;
  auto known = std::ranges::find(costs_, algorithm, [](const auto& one) { return one.first; });
  if (known == costs_.end() && is_by_size(collective_, algorithm)) {
    auto on = std::make_shared<const LaidOn>(LaidOn{.collective = collective_,
                                                    .paths = std::make_shared<const Paths>(knowledge_.network()),
                                                    .placement = placement_,
                                                    .root = root_,
                                                    .hosts = knowledge_.message_costs()});
    known = costs_.insert(costs_.end(), {algorithm, late_costs(std::move(on), algorithm)});
  } else if (known == costs_.end()) {
    Plan laid = plan(algorithm);
    known = costs_.insert(costs_.end(), {algorithm, costs_of(knowledge_.network(), placement_, laid, collective_,
                                                             knowledge_.message_costs())});
    last_.emplace(PlanKey(algorithm, 0), std::move(laid));
  }
  return known->second;
}

}  // namespace trunkline
