// SPDX-License-Identifier: Apache-2.0
#include "kinds/trees/trees.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
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

/// In no anonymous namespace: a plan may come from another copy of this library (runtime/shared_in_simulation.hpp),
/// whose type is this one by its name.
class TreeSteps final : public Steps {
 public:
  explicit TreeSteps(Trees trees) : trees_(std::move(trees)) {
    if (trees_.empty()) throw InvalidPlan("the plan has no tree");
    ranks_ = trees_.front().size();
    root_ = trees_.front().root;
    streams_ = trees_.size();
  }
  explicit TreeSteps(HostTrees trees) : over_hosts_(std::move(trees)) {
    if (over_hosts_->over_hosts.empty()) throw InvalidPlan("the plan has no tree");
    for (const std::vector<Rank>& own : over_hosts_->hosts.ranks) ranks_ += own.size();
    root_ = over_hosts_->root();
    streams_ = over_hosts_->trees();
  }

  /// Those over hosts are laid over the ranks when they are first asked for.
  [[nodiscard]] const Trees& held() const {
    if (over_hosts_) std::call_once(laid_, [&] { trees_ = over_ranks(*over_hosts_); });
    return trees_;
  }

  /// Those over hosts need not be laid for it, unless their roots exchange.
  [[nodiscard]] std::vector<TreeShape> shapes(const Placement& placement) const {
    std::vector<TreeShape> shapes;
    const auto exchanges = [](const Tree& tree) { return tree.exchange != no_rank; };
    if (!over_hosts_ || std::ranges::any_of(over_hosts_->over_hosts, exchanges)) {
      for (const Tree& tree : held()) shapes.push_back(shape_of(tree, placement));
      return shapes;
    }
    for (std::size_t lane = 0; lane < over_hosts_->lanes; ++lane) {
      for (std::size_t tree = 0; tree < over_hosts_->over_hosts.size(); ++tree) {
        shapes.push_back(shape_of(*over_hosts_, tree, lane));
      }
    }
    return shapes;
  }

  [[nodiscard]] const PlanKind& kind() const override { return trees_kind; }
  [[nodiscard]] std::size_t ranks() const override { return ranks_; }
  [[nodiscard]] Rank root() const override { return root_; }
  [[nodiscard]] std::size_t streams() const override { return streams_; }

  void check(Collective collective) const override {
    if (!trees_kind.serves(collective)) {
      throw InvalidPlan("trees do not serve " + std::string(facts_of(collective).name));
    }
    // Ranks of a host hang below who leads it: their trees are sound where those over hosts are.
    const Trees& trees = over_hosts_ ? over_hosts_->over_hosts : trees_;
    check_trees(trees);
    if (facts_of(collective).direction == Direction::up_and_down) return;
    if (facts_of(collective).gathers_shares() && streams_ > 1) {
      throw InvalidPlan("there are " + std::to_string(streams_) + " trees; " + std::string(facts_of(collective).name) +
                        " goes along one");
    }
    for (const Tree& tree : trees) check_no_exchange(tree);
  }

  [[nodiscard]] Contention contention(const Cluster& cluster, const Placement& placement,
                                      std::size_t most) const override {
    return contention_of(cluster, placement, std::span(held()), most);
  }

  [[nodiscard]] bool keeps_rank_order() const override {
    if (over_hosts_) return trunkline::keeps_rank_order(*over_hosts_);
    return std::ranges::all_of(trees_, [](const Tree& tree) { return trunkline::keeps_rank_order(tree); });
  }

  /// Several trees take segments by turns.
  [[nodiscard]] bool has_one_order(Collective /*collective*/) const override { return streams_ == 1; }

  void each_hop(const std::function<void(Rank, Rank)>& hop) const override {
    for (const Tree& tree : held()) {
      for (Rank rank = 0; rank < tree.size(); ++rank) {
        if (rank != tree.root) hop(tree.parent[rank], rank);
      }
    }
  }

  [[nodiscard]] UnderWay under_way(Collective collective) const override {
    if (!facts_of(collective).reduces) return {.least_bytes = least_in_flight_bytes};
    return {.least_bytes = least_up_in_flight_bytes, .hops_for_each_lead = hops_for_each_lead(held())};
  }

  [[nodiscard]] std::unique_ptr<const CostFunction> costs(const Paths& paths, const Placement& placement,
                                                          Collective collective,
                                                          const HostCosts& hosts) const override {
    const CollectiveFacts& facts = facts_of(collective);
    if (facts.gathers_shares()) {
      return std::make_unique<const GatherCosts>(
          gather_costs(paths, placement, held().front(), hosts, in_flight(paths, placement, *this, collective, hosts)));
    }
    if (!facts.direction) throw std::invalid_argument("trees do not serve " + std::string(facts.name));
    if (placement.size() == ranks() && is_one_host(placement)) {
      check_placement(paths.cluster(), placement, root());
      return std::make_unique<const MemoryTreeCosts>(memory_tree_costs(held(), *facts.direction, hosts));
    }
    TreeCosts costs = over_hosts_ ? tree_costs(paths, placement, *over_hosts_, *facts.direction, hosts)
                                  : tree_costs(paths, placement, trees_, *facts.direction, hosts);
    if (paths.cluster().has_sites()) {
      costs.longest_hop_s = longest_hop_s(paths, placement, *this);
      costs.in_flight_bytes = in_flight(paths, placement, *this, collective, hosts).bytes;
    }
    return std::make_unique<const TreeCosts>(std::move(costs));
  }

  void write(std::string& yaml) const override { write_trees(yaml, held()); }

 private:
  std::optional<HostTrees> over_hosts_{};
  mutable std::once_flag laid_{};
  mutable Trees trees_{};
  std::size_t ranks_ = 0;
  Rank root_ = 0;
  std::size_t streams_ = 0;
};

Plan plan_of(HostTrees trees) { return Plan(std::make_shared<const TreeSteps>(std::move(trees))); }

Plan plan_of(Trees trees) { return Plan(std::make_shared<const TreeSteps>(std::move(trees))); }

namespace {

/// Null where the plan is of another kind.
const TreeSteps* find_tree_steps(const Plan& plan) { return dynamic_cast<const TreeSteps*>(&plan.steps()); }

const TreeSteps& tree_steps_of(const Plan& plan) {
  if (const TreeSteps* const steps = find_tree_steps(plan)) return *steps;
  throw std::invalid_argument("a plan of trees is asked for, and this one is of another kind: " +
                              std::string(plan.kind().name));
}

}  // namespace

const Trees* find_trees(const Plan& plan) {
  const TreeSteps* const steps = find_tree_steps(plan);
  return steps != nullptr ? &steps->held() : nullptr;
}

std::vector<TreeShape> shapes_of(const Plan& plan, const Placement& placement) {
  return tree_steps_of(plan).shapes(placement);
}

const Trees& trees_of(const Plan& plan) { return tree_steps_of(plan).held(); }

}  // namespace trunkline
