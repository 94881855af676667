// SPDX-License-Identifier: Apache-2.0
#include "kinds/rounds/rounds.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "algorithms/rounds/generators.hpp"
#include "kinds/rounds/costs.hpp"
#include "kinds/rounds/memory_round_costs.hpp"
#include "kinds/rounds/pair_costs.hpp"
#include "kinds/rounds/row.hpp"
#include "network/placement.hpp"
#include "patterns/tree.hpp"
#include "plan/in_flight.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {

/// In no anonymous namespace: a plan may come from another copy of this library (runtime/shared_in_simulation.hpp),
/// whose type is this one by its name.
class RoundSteps final : public Steps {
 public:
  explicit RoundSteps(Rounds rounds) : rounds_(std::move(rounds)) {
    if (rounds_.order.empty()) throw InvalidPlan("the plan has no ranks");
  }

  [[nodiscard]] const Rounds& held() const { return rounds_; }

  [[nodiscard]] const PlanKind& kind() const override { return rounds_kind; }
  [[nodiscard]] std::size_t ranks() const override { return rounds_.order.size(); }
  [[nodiscard]] Rank root() const override { return rounds_.order.front(); }
  [[nodiscard]] std::size_t streams() const override { return 1; }

  void check(Collective collective) const override { check_rounds(rounds_, collective); }

  [[nodiscard]] Contention contention(const Cluster& cluster, const Placement& placement,
                                      std::size_t most) const override {
    return contention_of(cluster, placement, rounds_, most);
  }

  /// Operands are combined by position; only in scans are positions ranks, and there no operation is refused.
  [[nodiscard]] bool keeps_rank_order() const override { return false; }

  /// Of several blocks each goes its own way, but for shares, which are the program's.
  [[nodiscard]] bool has_one_order(Collective collective) const override {
    return facts_of(collective).goes_by_shares() || rounds_.schedule_of(0)->fixed_blocks() == 1;
  }

  /// Between neighbours in their order.
  void each_hop(const std::function<void(Rank, Rank)>& hop) const override {
    const std::vector<Rank>& order = rounds_.order;
    for (std::size_t i = 0; i < order.size(); ++i) hop(order[i], order[(i + 1) % order.size()]);
  }

  [[nodiscard]] UnderWay under_way(Collective collective) const override {
    constexpr std::uint64_t several = 4;
    return {.least_bytes = (facts_of(collective).goes_by_pairs() ? several : 1) * least_in_flight_bytes};
  }

  [[nodiscard]] std::unique_ptr<const CostFunction> costs(const Paths& paths, const Placement& placement,
                                                          Collective collective,
                                                          const HostCosts& hosts) const override {
    if (placement.size() == ranks() && is_one_host(placement)) {
      check_placement(paths.cluster(), placement, root());
      return std::make_unique<const MemoryRoundCosts>(memory_round_costs(rounds_, collective, hosts));
    }
    if (rounds_.schedule_of(0)->is_line()) {
      const Tree line = line_through({rounds_.order.rbegin(), rounds_.order.rend()});
      return std::make_unique<const TreeCosts>(tree_costs(paths, placement, line, Direction::up, hosts));
    }
    if (facts_of(collective).goes_by_pairs()) {
      return std::make_unique<const PairCosts>(pair_costs(paths, placement, rounds_, hosts));
    }
    return std::make_unique<const RoundCosts>(round_costs(paths, placement, rounds_, hosts));
  }

  void write(std::string& yaml) const override { write_rounds(yaml, rounds_); }

 private:
  Rounds rounds_;
};

namespace {

/// Of position 0.
bool goes_straight(const BlockSchedule& schedule, std::uint64_t ranks) {
  const std::uint64_t blocks = ranks * ranks;
  if (schedule.fixed_blocks() != blocks) return false;
  for (std::uint64_t round = 0; round < schedule.rounds(blocks); ++round) {
    const auto sent = schedule.send(round, blocks);
    const bool is_straight = !sent || (sent->blocks().blocks() == 1 && sent->first == sent->peer);
    if (!is_straight) return false;
  }
  return true;
}

}  // namespace

Rounds generate_rounds(std::string_view generator, std::vector<Rank> order) {
  const auto ranks = static_cast<Rank>(order.size());
  Rounds rounds{.order = std::move(order),
                .schedule_of = generate_schedules(generator, ranks),
                .generator = std::string(generator)};
  rounds.goes_straight = goes_straight(*rounds.schedule_of(0), ranks);  // all do the same
  return rounds;
}

Plan plan_of(Rounds rounds) { return Plan(std::make_shared<const RoundSteps>(std::move(rounds))); }

const Rounds* find_rounds(const Plan& plan) {
  const auto* const steps = dynamic_cast<const RoundSteps*>(&plan.steps());
  return steps != nullptr ? &steps->held() : nullptr;
}

const Rounds& rounds_of(const Plan& plan) {
  if (const Rounds* const rounds = find_rounds(plan)) return *rounds;
  throw std::invalid_argument("a plan by rounds is asked for, and this one is of another kind: " +
                              std::string(plan.kind().name));
}

}  // namespace trunkline
