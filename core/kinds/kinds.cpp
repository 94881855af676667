// SPDX-License-Identifier: Apache-2.0
#include "kinds/kinds.hpp"

#include <array>

#include "kinds/multicast/row.hpp"
#include "kinds/rounds/row.hpp"
#include "kinds/trees/row.hpp"

namespace trunkline {
namespace {

constexpr std::array kind_rows{
    &trees_kind,
    &rounds_kind,
    &multicast_kind,
};

}  // namespace

std::span<const PlanKind* const> kinds() { return kind_rows; }

}  // namespace trunkline
