// SPDX-License-Identifier: Apache-2.0
// Knowledge once the network of a running job is another one: the same as if the job had begun on it.
#pragma once

#include <string>

#include "decide/knowledge.hpp"
#include "network/cluster.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// What `was` becomes on another network, with other plans. What was measured on the former one, tables and tuning, is
/// left out. Throws std::invalid_argument where the plans do not fit the network; `plan_file` is for messages.
[[nodiscard]] Knowledge on_changed(const Knowledge& was, Cluster now, const PlanSet& plans,
                                   const std::string& plan_file);

/// The same hosts by their numbers in another cluster. Throws std::invalid_argument with those that it lacks; `file` is
/// for messages.
[[nodiscard]] Placement on_changed(const Placement& placement, const Cluster& was, const Cluster& now,
                                   const std::string& file);

}  // namespace trunkline
