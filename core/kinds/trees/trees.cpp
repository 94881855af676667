// SPDX-License-Identifier: Apache-2.0
#include "kinds/trees/trees.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "kinds/trees/gather_costs.hpp"
#include "kinds/trees/memory_tree_costs.hpp"
#include "kinds/trees/row.hpp"
#include "network/long_links.hpp"
#include "network/placement.hpp"
#include "plan/in_flight.hpp"
#include "plan/lead.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {

/// In no anonymous namespace: a plan may come from another copy of this library (runtime/alike.hpp), whose type is this
/// one by its name.
class TreeSteps final : public Steps {
 public:
  explicit TreeSteps(Trees trees) : trees_(std::move(trees)) {
    if (trees_.empty()) throw InvalidPlan("the plan has no tree");
  }

  [[nodiscard]] const Trees& held() const { return trees_; }

  [[nodiscard]] const PlanKind& kind() const override { return trees_kind; }
  [[nodiscard]] std::size_t ranks() const override { return trees_.front().size(); }
  [[nodiscard]] Rank root() const override { return trees_.front().root; }
  [[nodiscard]] std::size_t streams() const override { return trees_.size(); }

  void check(Collective collective) const override {
    if (!trees_kind.serves(collective)) {
      throw InvalidPlan("trees do not serve " + std::string(facts_of(collective).name));
    }
    check_trees(trees_);
    if (facts_of(collective).direction == Direction::up_and_down) return;
    if (facts_of(collective).gathers_shares() && trees_.size() > 1) {
      throw InvalidPlan("there are " + std::to_string(trees_.size()) + " trees; " +
                        std::string(facts_of(collective).name) + " goes along one");
    }
    for (const Tree& tree : trees_) check_no_exchange(tree);
  }

  [[nodiscard]] Contention contention(const Cluster& cluster, const Placement& placement,
                                      std::size_t most) const override {
    return contention_of(cluster, placement, std::span(trees_), most);
  }

  [[nodiscard]] bool keeps_rank_order() const override {
    return std::ranges::all_of(trees_, [](const Tree& tree) { return trunkline::keeps_rank_order(tree); });
  }

  /// Several trees take segments by turns.
  [[nodiscard]] bool has_one_order(Collective /*collective*/) const override { return trees_.size() == 1; }

  void each_hop(const std::function<void(Rank, Rank)>& hop) const override {
    for (const Tree& tree : trees_) {
      for (Rank rank = 0; rank < tree.size(); ++rank) {
        if (rank != tree.root) hop(tree.parent[rank], rank);
      }
    }
  }

  [[nodiscard]] UnderWay under_way(Collective collective) const override {
    if (!facts_of(collective).reduces) return {.least_bytes = least_in_flight_bytes};
    return {.least_bytes = least_up_in_flight_bytes, .hops_for_each_lead = hops_for_each_lead(trees_)};
  }

  [[nodiscard]] std::unique_ptr<const CostFunction> costs(const Paths& paths, const Placement& placement,
                                                          Collective collective,
                                                          const HostCosts& hosts) const override {
    const CollectiveFacts& facts = facts_of(collective);
    if (facts.gathers_shares()) {
      return std::make_unique<const GatherCosts>(
          gather_costs(paths, placement, trees_.front(), hosts, in_flight(paths, placement, *this, collective, hosts)));
    }
    if (!facts.direction) throw std::invalid_argument("trees do not serve " + std::string(facts.name));
    if (placement.size() == ranks() && is_one_host(placement)) {
      check_placement(paths.cluster(), placement, root());
      return std::make_unique<const MemoryTreeCosts>(memory_tree_costs(trees_, *facts.direction, hosts));
    }
    TreeCosts costs = tree_costs(paths, placement, trees_, *facts.direction, hosts);
    if (paths.cluster().has_sites()) {
      costs.longest_hop_s = longest_hop_s(paths, placement, *this);
      costs.in_flight_bytes = in_flight(paths, placement, *this, collective, hosts).bytes;
    }
    return std::make_unique<const TreeCosts>(std::move(costs));
  }

  void write(std::string& yaml) const override { write_trees(yaml, trees_); }

 private:
  Trees trees_;
};

Plan plan_of(Trees trees) { return Plan(std::make_shared<const TreeSteps>(std::move(trees))); }

const Trees* find_trees(const Plan& plan) {
  const auto* const steps = dynamic_cast<const TreeSteps*>(&plan.steps());
  return steps != nullptr ? &steps->held() : nullptr;
}

const Trees& trees_of(const Plan& plan) {
  if (const Trees* const trees = find_trees(plan)) return *trees;
  throw std::invalid_argument("a plan of trees is asked for, and this one is of another kind: " +
                              std::string(plan.kind().name));
}

}  // namespace trunkline
