// SPDX-License-Identifier: Apache-2.0
#include "plan_file/plan_file.hpp"

#include <utility>

#include "network/cluster.hpp"
#include "network/fingerprint.hpp"
#include "plan_file/plan_set.hpp"
#include "text/quantity.hpp"
#include "text/text_file.hpp"

namespace trunkline {

PlanFile parse_plan(std::string_view yaml, const std::string& file) {
  PlanSet set = parse_plans(yaml, file);
  if (set.plans.size() == 1) return std::move(set.plans.front());
  const PlanFile& second = set.plans[1];
  throw FaultyFile({{file, second.line, second.column,
                     "the second plan of a set, and one plan is wanted here; put that one into a file of its own"}});
}

PlanFile read_plan(const std::string& path) { return parse_plan(read_text_file(path), path); }

bool is_for(const PlanFile& plan, const Cluster& cluster) {
  const std::uint64_t topology = topology_fingerprint(cluster);
  const auto& with_rates = plan.cluster_fingerprint;
  if (with_rates && *with_rates != cluster.fingerprint() && *with_rates != topology) return false;
  return !plan.topology_fingerprint || *plan.topology_fingerprint == topology;
}

std::string sizes_text(const PlanFile& plan) {
  const bool has_from = plan.from_bytes.value_or(0) != 0;
  std::string text = has_from ? "from " + format_bytes(*plan.from_bytes) : "";
  if (plan.below_bytes) text += (has_from ? " to below " : "below ") + format_bytes(*plan.below_bytes);
  return text;
}

}  // namespace trunkline
