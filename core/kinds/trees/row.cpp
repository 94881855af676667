// SPDX-License-Identifier: Apache-2.0
#include "kinds/trees/row.hpp"

#include <array>
#include <string_view>

#include "kinds/trees/reader.hpp"

namespace trunkline {
namespace {

constexpr std::array<std::string_view, 4> tree_keys{"line", "sends", "trees", "exchange"};

bool have_direction(Collective collective) { return facts_of(collective).direction.has_value(); }

}  // namespace

constexpr PlanKind trees_kind{.name = "trees",
                              .is = "is made of trees",
                              .here = "here is a tree",
                              .stream = "tree",
                              .keys = tree_keys,
                              .serves = have_direction,
                              .one_promise = false,
                              .wants_datagrams = false,
                              .read = read_trees};

}  // namespace trunkline
