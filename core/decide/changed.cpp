// SPDX-License-Identifier: Apache-2.0
#include "decide/changed.hpp"

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace trunkline {

Knowledge on_changed(const Knowledge& was, Cluster now, const PlanSet& plans, const std::string& plan_file) {
  Knowledge changed;
  changed.library = was.library;
  changed.hosts = was.hosts;
  changed.reproducible = was.reproducible;
  changed.multicasts = was.multicasts;
  changed.host_memory = was.host_memory;
  changed.cluster.emplace(std::move(now));
  changed.take_plans(plans, plan_file);
  return changed;
}

Placement on_changed(const Placement& placement, const Cluster& was, const Cluster& now, const std::string& file) {
  std::vector<std::optional<HostIndex>> known(was.hosts().size());
  Placement changed;
  changed.reserve(placement.size());
  std::string missing;
  std::size_t others = 0;
  for (const HostIndex host : placement) {
    if (!known.at(host)) {
      const std::string& name = was.nodes()[was.hosts()[host]].name;
      const auto found = now.find_host(name);
      known[host] = found.value_or(0);
      constexpr std::size_t most_named = 200;
      if (!found && missing.size() < most_named) {
        missing += (missing.empty() ? "" : ", ") + name;
      } else if (!found) {
        ++others;
      }
    }
    changed.push_back(*known[host]);
  }
  if (missing.empty()) return changed;
  throw std::invalid_argument(file + ": lacks hosts of this job: " + missing +
                              (others > 0 ? " and " + std::to_string(others) + " more" : ""));
}

}  // namespace trunkline
