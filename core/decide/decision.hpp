// SPDX-License-Identifier: Apache-2.0
// Which algorithm runs for a call, in which segments, and why: the one place where that is decided. The preload
// library, `trunkline explain` and whatever predicts or simulates a run ask here.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "choose/alternatives.hpp"
#include "choose/choose.hpp"
#include "collective/collective.hpp"
#include "collective/operand_order.hpp"
#include "decide/knowledge.hpp"
#include "decide/wish.hpp"
#include "learn/trials.hpp"
#include "plan/costs.hpp"

namespace trunkline {

/// Whose choice it was; or none: the call is native whatever anyone says.
enum class ChosenBy : std::uint8_t { none, user, plan, tuning, reproducible, prediction, trials };

/// For programs: "none", "user", ...
[[nodiscard]] std::string_view name_of(ChosenBy chooser);

struct Decision {
  std::string_view algorithm = "native";  ///< or the registry's own text of another name, or the plan of a file
  std::uint64_t segment_bytes = 0;        ///< 0: native
  std::uint64_t laid_for_bytes = 0;       ///< of an algorithm whose plans depend on the size; else 0
  std::string reason{};                   ///< one line, for people; empty without `for_people`
  ChosenBy chosen_by = ChosenBy::none;
  std::optional<double> predicted_s{};  ///< with `for_people`, where there was a network to predict it for
  bool wants_datagrams = false;         ///< chosen, by us or a tuning file, for ranks that datagrams reach
  bool may_wait = false;                ///< native would do: what it saves may be weighed against preparations

  [[nodiscard]] bool is_native() const { return segment_bytes == 0; }
};

/// Why a call is native whatever the plans say; null: it need not be. Needs neither placement nor root.
[[nodiscard]] const char* native_anyway(const Knowledge& knowledge, Collective collective, const Wish& wish,
                                        std::uint64_t bytes);

/// Calls of fewer bytes are native anyway, others need not be. 0: none is.
[[nodiscard]] std::uint64_t native_anyway_below(const Knowledge& knowledge, Collective collective, const Wish& wish);

/// Decides the calls of one collective on the same processes from the same root. Keeps what does
/// not depend on a call's size. Used by one thread at a time.
class Decider {
 public:
  /// `knowledge` and `placement` must outlive it.
  Decider(const Knowledge& knowledge, Collective collective, const Placement& placement, Rank root);

  /// The same on all ranks: depends on nothing but the arguments here and above. `for_people`: with its reason. Throws
  /// std::invalid_argument where an algorithm that the user forced cannot be laid. `reach`: an algorithm that is
  /// forced, or a plan that is given, runs all the same.
  [[nodiscard]] Decision decide(std::uint64_t bytes, OperandOrder order, const Wish& wish, bool for_people,
                                Reach reach = Reach::datagrams);

  /// What a decision that wants datagrams is predicted to save beside the one that would run without, as an average of
  /// many calls; where a tuning file says that it was faster, a tenth of it at least.
  [[nodiscard]] double saved_s(std::uint64_t bytes, const Decision& with, const Decision& without);

  /// What ranks spend before the first call of such a plan on a communicator.
  [[nodiscard]] double opening_s(const Decision& with);

  /// What they spend to agree on a number for a communicator, by which its messages are known: one native allreduce.
  /// Only where a decision may wait.
  [[nodiscard]] double numbering_s();
  /// Seconds in which each rank tells all others `bytes` bytes: one native allreduce. Only where there is a cluster.
  [[nodiscard]] double telling_s(std::uint64_t bytes);

  /// The plan of a decision that is not native. What was laid to decide is handed over, once.
  [[nodiscard]] Plan plan(std::string_view algorithm, std::uint64_t laid_for_bytes = 0);

  /// Lets go of the plans that were laid to decide: plan() lays them anew.
  void forget_plans();

  /// What each of the algorithms that are compared would take, the fastest first; empty without a cluster, and where
  /// all ranks share one host.
  [[nodiscard]] std::vector<Prediction> predictions(std::uint64_t bytes, OperandOrder order = OperandOrder::any,
                                                    Reach reach = Reach::datagrams);

  /// What a job may try for such calls where `runs` is what runs without trials: that one first, native, and those that
  /// are predicted to be the fastest besides, as long as they are not predicted to take twice as long as the best.
  [[nodiscard]] std::vector<Arm> arms(std::uint64_t bytes, OperandOrder order, const Arm& runs);

  /// What an algorithm takes, whether it is compared or not: by a replay where there is one (replayed_on()), else by a
  /// formula. Of one whose plans depend on the size, by the plan of each.
  [[nodiscard]] double seconds_of(std::string_view algorithm, std::uint64_t bytes, std::uint64_t segment_bytes);
  /// The segment in which it would run.
  [[nodiscard]] std::uint64_t best_segment_of(std::string_view algorithm, std::uint64_t bytes) {
    return costs(algorithm)->best_segment(bytes);
  }

 private:
  [[nodiscard]] std::optional<double> predicted_s(const Decision& decision, std::uint64_t bytes);
  Decision considered(std::uint64_t bytes, OperandOrder order, const Wish& wish, bool for_people, Reach reach);
  Decision forced(std::uint64_t bytes, const Wish& wish);
  Decision planned(std::uint64_t bytes, const GivenPlan& plan);
  Decision in_one_order(std::uint64_t bytes, OperandOrder order, bool for_people);
  Decision tuned(std::uint64_t bytes, const TuningRule& rule);
  Decision automatic(std::uint64_t bytes, OperandOrder order, bool for_people, Reach reach);
  bool keeps_order(const Decision& decision);
  std::string_view one_order(OperandOrder order);
  const std::vector<const GivenPlan*>& fitting_plans();  ///< of the plan file, whatever the size
  const GivenPlan* plan_for(std::uint64_t bytes);        ///< of the plan file; null: none is for such a call
  [[nodiscard]] const GivenPlan* plan_of(const TuningRule& rule) const;  ///< null: it has none, or it does not fit
  [[nodiscard]] bool can_run(const TuningRule& rule, Reach reach) const;
  [[nodiscard]] bool has_sites();
  [[nodiscard]] std::uint64_t floor_bytes();
  /// So that at most a multicast is compared.
  [[nodiscard]] bool is_short(std::uint64_t bytes) { return bytes < least_bytes && !has_sites(); }
  std::string no_plan();  ///< why the plan file does not count here; empty: there is none
  const TuningEntry* tuning_entry();
  const Alternatives* alternatives();
  const Alternatives* alternatives_for(std::uint64_t bytes);
  [[nodiscard]] Alternative* alternative(std::string_view algorithm);  ///< null: it has not been compared
  std::uint64_t segment_for(std::string_view algorithm, std::uint64_t bytes);
  [[nodiscard]] bool wants_datagrams(std::string_view algorithm) const;
  const Costs& costs(std::string_view algorithm);  ///< only where there is a cluster
  double seconds(const Decision& decision, std::uint64_t bytes);

  const Knowledge& knowledge_;
  Collective collective_;
  const Placement& placement_;
  Rank root_;
  std::optional<Alternatives> alternatives_{};
  std::optional<Alternatives> short_alternatives_{};  ///< of messages below least_bytes: others are not laid for these
  std::optional<bool> has_sites_{};                   ///< of its ranks; once it was asked for
  std::optional<std::vector<const GivenPlan*>> fitting_plans_{};  ///< once they were looked for
  KeptPicks picks_{};
  KeptPicks short_picks_{};
  std::optional<const TuningEntry*> tuning_entry_{};            ///< once it has been looked for
  std::optional<double> numbering_s_{};                         ///< once it was asked for
  std::list<std::pair<std::string_view, Costs>> costs_{};       ///< of algorithms whose segments were asked for
  std::array<std::optional<std::string_view>, 2> one_order_{};  ///< by what the call asks for; empty: none keeps it
  /// A plan by its algorithm and the size that it is laid for, as in a decision.
  using PlanKey = std::pair<std::string_view, std::uint64_t>;
  std::list<std::pair<PlanKey, bool>> by_rank_{};   ///< of those that were asked to keep rank order
  std::optional<std::pair<PlanKey, Plan>> last_{};  ///< laid for it, until it is asked for
};

}  // namespace trunkline
