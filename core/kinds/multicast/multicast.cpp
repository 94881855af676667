// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/multicast.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "kinds/multicast/costs.hpp"
#include "kinds/multicast/grouped_costs.hpp"
#include "kinds/multicast/groups.hpp"
#include "kinds/multicast/row.hpp"
#include "plan/in_flight.hpp"
#include "plan/lead.hpp"

namespace trunkline {

/// In no anonymous namespace: a plan may come from another copy of this library (runtime/shared_in_simulation.hpp),
/// whose type is this one by its name.
class MulticastSteps final : public Steps {
 public:
  explicit MulticastSteps(Multicast multicast) : multicast_(std::move(multicast)) {}

  [[nodiscard]] const Multicast& held() const { return multicast_; }

  [[nodiscard]] const PlanKind& kind() const override { return multicast_kind; }
  [[nodiscard]] std::size_t ranks() const override { return multicast_.ranks(); }
  [[nodiscard]] Rank root() const override { return multicast_.root(); }
  [[nodiscard]] std::size_t streams() const override { return std::max<std::size_t>(multicast_.reduce.size(), 1); }

  void check(Collective collective) const override {
    if (!serves(collective)) throw InvalidPlan(refused(collective));
    check_multicast(multicast_);
    if (!multicast_.reduce.empty() && !facts_of(collective).reduces) {
      throw InvalidPlan("trees to reduce along are of no use to " + std::string(facts_of(collective).name));
    }
    if (multicast_.confirm.exchange != no_rank && !facts_of(collective).reduces) {
      throw InvalidPlan("two roots exchange operands, and " + std::string(facts_of(collective).name) + " has none");
    }
  }

  [[nodiscard]] Contention contention(const Cluster& cluster, const Placement& placement,
                                      std::size_t most) const override {
    return contention_of(cluster, placement, multicast_, most);
  }

  [[nodiscard]] bool keeps_rank_order() const override { return false; }
  [[nodiscard]] bool has_one_order(Collective /*collective*/) const override { return multicast_.reduce.size() <= 1; }

  /// By turns: of the ring that calls go round where datagrams do not.
  void each_hop(const std::function<void(Rank, Rank)>& hop) const override {
    if (multicast_.goes_by_turns() && multicast_.has_groups()) return each_hop_of_groups_by_turns(hop);
    if (multicast_.goes_by_turns()) return each_hop_of_ring(multicast_.order, hop);
    for (const Tree& tree : multicast_.reduce) {
      for (const Rank rank : parents_first(tree)) {
        if (rank != tree.root) hop(tree.parent[rank], rank);
      }
    }
    if (multicast_.has_groups()) return each_hop_of_groups(hop);
    for (Rank rank = 0; rank < ranks(); ++rank) {
      if (rank != root()) hop(root(), rank);
    }
  }

  [[nodiscard]] UnderWay under_way(Collective collective) const override {
    if (!facts_of(collective).reduces) return {.least_bytes = least_in_flight_bytes};
    return {.least_bytes = least_up_in_flight_bytes, .hops_for_each_lead = hops_for_each_lead(multicast_.reduce)};
  }

  [[nodiscard]] std::unique_ptr<const CostFunction> costs(const Paths& paths, const Placement& placement,
                                                          Collective collective,
                                                          const HostCosts& hosts) const override {
    if (!serves(collective)) throw std::invalid_argument(refused(collective));
    if (multicast_.goes_by_turns() && multicast_.has_groups()) {
      return std::make_unique<const GroupedTurnCosts>(grouped_turn_costs(paths, placement, multicast_, hosts));
    }
    if (multicast_.goes_by_turns()) {
      return std::make_unique<const TurnCosts>(turn_costs(paths, placement, multicast_, hosts));
    }
    if (multicast_.has_groups() && facts_of(collective).reduces) {
      return std::make_unique<const GroupedResultCosts>(grouped_result_costs(paths, placement, multicast_, hosts));
    }
    if (multicast_.has_groups()) {
      GroupedCosts costs = grouped_costs(paths, placement, multicast_, hosts);
      if (paths.cluster().has_sites()) {
        costs.have_windows(longest_hop_s(paths, placement, *this),
                           in_flight(paths, placement, *this, collective, hosts).bytes);
      }
      return std::make_unique<const GroupedCosts>(std::move(costs));
    }
    if (facts_of(collective).reduces) {
      return std::make_unique<const ResultCosts>(result_costs(paths, placement, multicast_, hosts));
    }
    return std::make_unique<const MulticastCosts>(multicast_costs(paths, placement, multicast_, hosts));
  }

  void write(std::string& yaml) const override { write_multicast(yaml, multicast_); }

 private:
  /// Of the confirm tree: from one group to the next it carries the message, and all of it where datagrams do not.
  void each_hop_of_groups(const std::function<void(Rank, Rank)>& hop) const {
    for (const Rank rank : parents_first(multicast_.confirm)) {
      if (rank != root()) hop(multicast_.confirm.parent[rank], rank);
    }
  }

  static void each_hop_of_ring(const std::vector<Rank>& order, const std::function<void(Rank, Rank)>& hop) {
    for (std::size_t turn = 0; turn < order.size() && order.size() > 1; ++turn) {
      hop(order[turn], order[(turn + 1) % order.size()]);
    }
  }

  /// The ring of each group, and messages between the first ranks of groups.
  void each_hop_of_groups_by_turns(const std::function<void(Rank, Rank)>& hop) const {
    for (const MulticastGroup& from : multicast_.groups) {
      each_hop_of_ring(from.ranks, hop);
      for (const MulticastGroup& to : multicast_.groups) {
        if (&to != &from) hop(from.ranks.front(), to.ranks.front());
      }
    }
  }

  [[nodiscard]] bool serves(Collective collective) const {
    return multicast_kind.serves(collective) && multicast_.goes_by_turns() == facts_of(collective).gathers_shares();
  }

  [[nodiscard]] std::string refused(Collective collective) const {
    const std::string name(facts_of(collective).name);
    if (!multicast_kind.serves(collective)) return "a multicast does not serve " + name;
    return multicast_.goes_by_turns() ? "a multicast by turns does not serve " + name
                                      : "a multicast of one root does not serve " + name + ", in which all ranks send";
  }

  Multicast multicast_;
};

Plan plan_of(Multicast multicast) { return Plan(std::make_shared<const MulticastSteps>(std::move(multicast))); }

const Multicast* find_multicast(const Plan& plan) {
  const auto* const steps = dynamic_cast<const MulticastSteps*>(&plan.steps());
  return steps != nullptr ? &steps->held() : nullptr;
}

const Multicast& multicast_of(const Plan& plan) {
  if (const Multicast* const multicast = find_multicast(plan)) return *multicast;
  throw std::invalid_argument("a plan by multicast is asked for, and this one is of another kind: " +
                              std::string(plan.kind().name));
}

double slowest_byte_s(const Paths& paths, const Placement& placement, Rank root) {
  check_placement(paths.cluster(), placement, root);
  const auto hosts = paths.cluster().hosts();
  const NodeId from = hosts[placement[root]];
  double slowest = 0.0;
  for (std::size_t rank = 0; rank < placement.size(); ++rank) {
    const HostIndex host = placement[rank];
    if (rank > 0 && host == placement[rank - 1]) continue;
    slowest = std::max(slowest, paths.slowest_byte_s(from, hosts[host], paths.meeting(from, hosts[host])));
  }
  return slowest;
}

}  // namespace trunkline
