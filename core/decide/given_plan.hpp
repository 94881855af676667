// SPDX-License-Identifier: Apache-2.0
// Plans that a file gave, as decisions know them.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "network/placement.hpp"
#include "plan_file/plan_file.hpp"

namespace trunkline {

/// The name of the plan of TRUNKLINE_PLAN, where its file holds no other; no algorithm is called so.
inline constexpr std::string_view plan_of_file = "TRUNKLINE_PLAN";
/// So begin those of plans in a tuning file.
inline constexpr std::string_view plan_of_tuning = "TRUNKLINE_TUNING";

struct GivenPlan {
  std::string_view name{};  ///< as the algorithm of a decision; lives as long as the process
  std::shared_ptr<const PlanFile> file{};
  Placement placement{};  ///< hosts of its ranks; empty: it fits any hosts

  /// Whether it is for calls of these processes, whatever their size.
  [[nodiscard]] bool fits(Collective collective, const Placement& processes, Rank root) const;
};

/// "TRUNKLINE_PLAN 2": the name of one among several plans, counted from 1. Lives as long as the process.
[[nodiscard]] std::string_view name_of_given(std::string_view setting, std::size_t number);

/// Whether a decision's algorithm is a plan that a file gave.
[[nodiscard]] inline bool is_given(std::string_view algorithm) {
  return algorithm.starts_with(plan_of_file) || algorithm.starts_with(plan_of_tuning);
}

}  // namespace trunkline
