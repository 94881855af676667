// SPDX-License-Identifier: Apache-2.0
#include "decide/given_plan.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace trunkline {

bool GivenPlan::fits(Collective collective, const Placement& processes, Rank root) const {
  if (file->collective != collective || file->plan.ranks() != processes.size()) return false;
  if (facts_of(collective).has_root && file->plan.root() != root) return false;
  return placement.empty() || placement == processes;
}

std::string_view name_of_given(std::string_view setting, std::size_t number) {
  // Decisions outlive what they follow from, and carry their names as views.
  static std::mutex mutex;
  static std::map<std::pair<std::string_view, std::size_t>, std::string> names;
  const std::scoped_lock lock(mutex);
  std::string& name = names[{setting, number}];
  if (name.empty()) name = std::string(setting) + " " + std::to_string(number);
  return name;
}

}  // namespace trunkline
