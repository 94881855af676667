// SPDX-License-Identifier: Apache-2.0
// Knowledge once the network of a running job is another one: the same as if the job had begun on it.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "decide/knowledge.hpp"
#include "network/cluster.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// What `was` becomes on another network, with other plans. What was measured on the former one, tables and tuning, is
/// left out. Throws std::invalid_argument where the plans do not fit the network; `plan_file` is for messages.
[[nodiscard]] inline Knowledge on_changed(const Knowledge& was, Cluster now, const PlanSet& plans,
                                          const std::string& plan_file) {
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

/// The same hosts by their numbers in another cluster. Throws std::invalid_argument with those that it lacks; `file` is
/// for messages.
[[nodiscard]] inline Placement on_changed(const Placement& placement, const Cluster& was, const Cluster& now,
                                          const std::string& file) {
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
