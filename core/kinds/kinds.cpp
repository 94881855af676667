// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "kinds/kind.hpp"
#include "kinds/rounds/row.hpp"
#include "kinds/trees/row.hpp"

namespace trunkline {
namespace {

constexpr std::array<const PlanKind*, 2> kind_rows{
    &trees_kind,
    &rounds_kind,
};

}  // namespace

std::span<const PlanKind* const> kinds() { return kind_rows; }

const PlanKind* find_kind(std::string_view name) {
  const auto found = std::ranges::find(kind_rows, name, [](const PlanKind* kind) { return kind->name; });
  return found != kind_rows.end() ? *found : nullptr;
}

}  // namespace trunkline
