// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/multicast.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "kinds/multicast/costs.hpp"
#include "kinds/multicast/row.hpp"
#include "plan/in_flight.hpp"

namespace trunkline {
namespace {

class MulticastSteps final : public Steps {
 public:
  explicit MulticastSteps(Multicast multicast) : multicast_(std::move(multicast)) {}

  [[nodiscard]] const Multicast& held() const { return multicast_; }

  [[nodiscard]] const PlanKind& kind() const override { return multicast_kind; }
  [[nodiscard]] std::size_t ranks() const override { return multicast_.confirm.size(); }
  [[nodiscard]] Rank root() const override { return multicast_.confirm.root; }
  [[nodiscard]] std::size_t streams() const override { return 1; }

  void check(Collective collective) const override {
    if (!multicast_kind.serves(collective)) throw InvalidPlan(refused(collective));
    check_multicast(multicast_);
  }

  [[nodiscard]] Contention contention(const Cluster& cluster, const Placement& placement,
                                      std::size_t most) const override {
    return contention_of(cluster, placement, multicast_, most);
  }

  [[nodiscard]] bool keeps_rank_order() const override { return false; }
  [[nodiscard]] bool has_one_order(Collective /*collective*/) const override { return true; }

  void each_hop(const std::function<void(Rank, Rank)>& hop) const override {
    for (Rank rank = 0; rank < ranks(); ++rank) {
      if (rank != root()) hop(root(), rank);
    }
  }

  [[nodiscard]] UnderWay under_way(Collective /*collective*/) const override {
    return {.least_bytes = least_in_flight_bytes};
  }

  [[nodiscard]] std::unique_ptr<const CostFunction> costs(const Paths& paths, const Placement& placement,
                                                          Collective collective,
                                                          const HostCosts& hosts) const override {
    if (!multicast_kind.serves(collective)) throw std::invalid_argument(refused(collective));
    return std::make_unique<const MulticastCosts>(multicast_costs(paths, placement, multicast_, hosts));
  }

  void write(std::string& yaml) const override { write_multicast(yaml, multicast_); }

 private:
  static std::string refused(Collective collective) {
    return "a multicast does not serve " + std::string(facts_of(collective).name);
  }

  Multicast multicast_;
};

}  // namespace

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
  for (const HostIndex host : placement) {
    slowest = std::max(slowest, paths.slowest_byte_s(from, hosts[host], paths.meeting(from, hosts[host])));
  }
  return slowest;
}

}  // namespace trunkline
