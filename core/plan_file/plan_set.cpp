// SPDX-License-Identifier: Apache-2.0
#include "plan_file/plan_set.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "plan/kind.hpp"
#include "plan_file/plan_file.hpp"
#include "text/quantity.hpp"
#include "text/text_file.hpp"
#include "text/yaml_fields.hpp"

namespace trunkline {

namespace {

constexpr std::string_view plan_format = "plan/1";
constexpr std::string_view set_format = "plans/1";
/// Each is compared with those before it.
constexpr std::size_t most_plans = 4096;

/// Whether a call of some size is for both.
bool sizes_meet(const PlanFile& a, const PlanFile& b) {
  constexpr std::uint64_t no_bound = std::numeric_limits<std::uint64_t>::max();
  return std::max(a.from_bytes.value_or(0), b.from_bytes.value_or(0)) <
         std::min(a.below_bytes.value_or(no_bound), b.below_bytes.value_or(no_bound));
}

/// Whether some call is for both. One that names no hosts is for any.
bool meet(const PlanFile& a, const PlanFile& b) {
  if (a.collective != b.collective || a.plan.ranks() != b.plan.ranks()) return false;
  if (facts_of(a.collective).has_root && a.plan.root() != b.plan.root()) return false;
  const bool any_hosts = a.host_of_rank.empty() || b.host_of_rank.empty();
  return sizes_meet(a, b) && (any_hosts || a.host_of_rank == b.host_of_rank);
}

void check_apart(const YamlNode& node, const PlanSet& set, const PlanFile& plan, Faults& faults) {
  const auto other = std::ranges::find_if(set.plans, [&](const PlanFile& one) { return meet(one, plan); });
  if (other == set.plans.end()) return;
  const std::string sizes = sizes_text(*other);
  faults.add(node, "the plan in line " + std::to_string(other->line) + " is for the same calls" +
                       (sizes.empty() ? "" : ", " + sizes) +
                       "; keep one, or give each its own sizes (from, below), hosts or root");
}

PlanSet read_set(const YamlNode& root, Faults& faults) {
  static constexpr std::array<std::string_view, 3> keys{"trunkline", "provenance", "plans"};
  static constexpr std::array<std::string_view, 8> of_plans{
      "collective", "cluster", "cluster_fingerprint", "topology_fingerprint", "provenance", "segment", "from", "below"};
  check_keys(root, keys, faults);
  PlanSet set{.provenance = optional_text(root, "provenance", "tuned by hand", faults)};
  const std::string example = "plans: [{collective: bcast, shape: custom, ...}]";
  const YamlNode* const plans = required(root, "plans", example, faults);
  if (plans == nullptr || !check_kind(*plans, YamlNode::Kind::sequence, "plans", "[...]", faults)) return set;
  if (plans->items.empty() || plans->items.size() > most_plans) {
    faults.add(*plans, "a set has 1 to " + std::to_string(most_plans) + " plans; here are " +
                           std::to_string(plans->items.size()));
    return set;
  }
  std::size_t ranks = 0;
  for (const YamlNode& node : plans->items) {
    if (!check_kind(node, YamlNode::Kind::mapping, "a plan", "{collective: bcast, shape: custom, ...}", faults)) {
      continue;
    }
    const std::size_t faults_before = faults.size();
    PlanFile plan = read_plan_at(node, {.keys = of_plans}, faults);
    if (faults.size() != faults_before) continue;
    ranks += plan.plan.ranks();
    if (ranks > most_ranks) {
      faults.add(node, "the plans up to this one have " + std::to_string(ranks) + " ranks together; at most " +
                           std::to_string(most_ranks) + " are allowed in one set: leave some out");
      return set;
    }
    check_apart(node, set, plan, faults);
    set.plans.push_back(std::move(plan));
  }
  return set;
}

PlanFile plan_by_itself(const YamlNode& root, Faults& faults) {
  static constexpr std::array<std::string_view, 9> keys{
      "trunkline", "collective", "cluster", "cluster_fingerprint", "topology_fingerprint", "provenance",
      "segment",   "from",       "below"};
  PlanFile plan = read_plan_at(root, {.keys = keys}, faults);
  plan.line = plan.column = 0;
  return plan;
}

}  // namespace

PlanSet parse_plans(std::string_view yaml, const std::string& file) {
  Faults faults(file);
  const std::optional<YamlNode> root = parse_yaml(yaml, plan_format, faults);
  faults.throw_if_any();
  const YamlNode* const format = root->find("trunkline");
  const bool is_set = format != nullptr && format->text == set_format;
  if (!is_set) check_format(*root, plan_format, faults);
  PlanSet set = is_set ? read_set(*root, faults) : PlanSet{.plans = {plan_by_itself(*root, faults)}};
  faults.throw_if_any();
  return set;
}

PlanSet read_plans(const std::string& path) { return parse_plans(read_text_file(path), path); }

}  // namespace trunkline
