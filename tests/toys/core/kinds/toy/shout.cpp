// SPDX-License-Identifier: Apache-2.0
#include "kinds/toy/shout.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "kinds/toy/row.hpp"
#include "model/transfer/wire.hpp"
#include "network/paths.hpp"
#include "plan/checker.hpp"
#include "plan/costs.hpp"
#include "text/yaml_fields.hpp"

namespace trunkline {
namespace {

/// One transfer, however many hear it.
class ShoutCosts final : public CostFunction {
 public:
  explicit ShoutCosts(double byte_s) : byte_s_(byte_s) {}

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t /*segment_bytes*/) const override {
    return static_cast<double>(wire_bytes(message_bytes)) * byte_s_;
  }
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t /*message_bytes*/) const override {
    return segment_sizes().back();
  }
  [[nodiscard]] TimedSegment fastest_segment(std::uint64_t message_bytes, const Cuts& /*cuts*/) const override {
    return {.segment_bytes = segment_sizes().back(), .seconds = seconds(message_bytes, segment_sizes().back())};
  }

 private:
  double byte_s_;
};

}  // namespace

/// In no anonymous namespace: a plan may come from another copy of this library (runtime/shared_in_simulation.hpp).
class ShoutSteps final : public Steps {
 public:
  explicit ShoutSteps(Shout shout) : shout_(shout) {}

  [[nodiscard]] Shout held() const { return shout_; }

  [[nodiscard]] const PlanKind& kind() const override { return toy_kind; }
  [[nodiscard]] std::size_t ranks() const override { return shout_.ranks; }
  [[nodiscard]] Rank root() const override { return shout_.root; }
  [[nodiscard]] std::size_t streams() const override { return 1; }

  void check(Collective collective) const override {
    if (!toy_kind.serves(collective))
      throw InvalidPlan("a shout does not serve " + std::string(facts_of(collective).name));
    if (shout_.root >= shout_.ranks) throw InvalidPlan("nobody shouts");
  }

  [[nodiscard]] Contention contention(const Cluster& cluster, const Placement& placement,
                                      std::size_t most) const override {
    check_fit(cluster, placement, shout_.ranks, shout_.root);
    return busiest_of(std::vector<std::uint32_t>(cluster.channel_count(), 1), 1, cluster, placement, most);
  }

  [[nodiscard]] bool keeps_rank_order() const override { return false; }
  [[nodiscard]] bool has_one_order(Collective /*collective*/) const override { return true; }

  void each_hop(const std::function<void(Rank, Rank)>& hop) const override {
    for (Rank rank = 0; rank < shout_.ranks; ++rank) {
      if (rank != shout_.root) hop(shout_.root, rank);
    }
  }
  [[nodiscard]] UnderWay under_way(Collective /*collective*/) const override { return {}; }

  [[nodiscard]] std::unique_ptr<const CostFunction> costs(const Paths& paths, const Placement& placement,
                                                          Collective /*collective*/,
                                                          const HostCosts& /*hosts*/) const override {
    check_fit(paths.cluster(), placement, shout_.ranks, shout_.root);
    const auto hosts = paths.cluster().hosts();
    const NodeId root = hosts[placement[shout_.root]];
    double slowest = 0.0;
    for (const HostIndex host : placement) {
      slowest = std::max(slowest, paths.slowest_byte_s(root, hosts[host], paths.meeting(root, hosts[host])));
    }
    return std::make_unique<const ShoutCosts>(slowest);
  }

  void write(std::string& yaml) const override {
    yaml += "# Everybody hears it.\nshouts: " + std::to_string(shout_.root) + "\n";
  }

 private:
  Shout shout_;
};

namespace {

constexpr std::array<std::string_view, 1> shout_keys{"shouts"};

bool is_broadcast(Collective collective) { return facts_of(collective).direction == Direction::down; }

std::optional<Plan> read_shout(const YamlNode& plan, const PlanHead& head, Faults& faults) {
  const auto root = whole_number(*plan.find("shouts"), "the rank that shouts", 0, faults);
  if (!root || !head.ranks) return {};
  if (*root >= *head.ranks) {
    faults.add(*plan.find("shouts"), "there is no such rank");
    return {};
  }
  return plan_of(Shout{.ranks = *head.ranks, .root = *root});
}

}  // namespace

constexpr PlanKind toy_kind{.name = "toy",
                            .is = "is shouted",
                            .here = "here is a shout",
                            .stream = "shout",
                            .keys = shout_keys,
                            .serves = is_broadcast,
                            .one_promise = false,
                            .wants_datagrams = false,
                            .read = read_shout};

Plan plan_of(Shout shout) { return Plan(std::make_shared<const ShoutSteps>(shout)); }

Shout shout_of(const Plan& plan) {
  const auto* const steps = dynamic_cast<const ShoutSteps*>(&plan.steps());
  if (steps == nullptr) throw std::invalid_argument("no shout");
  return steps->held();
}

}  // namespace trunkline
