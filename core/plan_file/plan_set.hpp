// SPDX-License-Identifier: Apache-2.0
// Plan sets: one file with plans for several collectives, communicators, roots and classes of sizes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan_file/plan_file.hpp"

namespace trunkline {

/// No two of its plans are for the same calls, so their order says nothing.
struct PlanSet {
  std::string provenance{};  ///< who or what made it, one line
  std::vector<PlanFile> plans{};
};

/// Also of a plan by itself: a set of one. Throws FaultyFile with all faults: those of each plan, and plans that are
/// for the same calls.
[[nodiscard]] PlanSet parse_plans(std::string_view yaml, const std::string& file);
[[nodiscard]] PlanSet read_plans(const std::string& path);

/// What people read, and parse_plans() reads back. Throws InvalidPlan.
[[nodiscard]] std::string write_plans(const PlanSet& set);

/// A plan as it stands in a rule of a tuning file, which says the rest: each line is `columns` columns to the right.
[[nodiscard]] std::string plan_in_rule(const PlanFile& plan, std::size_t columns);

}  // namespace trunkline
