// SPDX-License-Identifier: Apache-2.0
// One plan, wherever it stands: as a file of its own, in a set of plans, in a rule of a tuning file.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "plan_file/plan_file.hpp"
#include "text/yaml_document.hpp"

namespace trunkline {

/// Where a plan stands, and so what it says for itself.
struct PlanPlace {
  std::span<const std::string_view> keys{};  ///< beside those of the shape, its ranks and its steps
  std::optional<Collective> collective{};    ///< empty: the plan says which
};

/// Reports every fault where it stands; what it returns is a plan only where there was none.
[[nodiscard]] PlanFile read_plan_at(const YamlNode& node, const PlanPlace& place, Faults& faults);

}  // namespace trunkline
