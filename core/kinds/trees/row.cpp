// SPDX-License-Identifier: Apache-2.0
#include "kinds/trees/row.hpp"

#include <array>
#include <string_view>

#include "kinds/trees/trees.hpp"

namespace trunkline {
namespace {

constexpr std::array<std::string_view, 4> tree_keys{"line", "sends", "trees", "exchange"};

bool go_along_trees(Collective collective) {
  const CollectiveFacts& facts = facts_of(collective);
  return facts.direction.has_value() || facts.gathers_shares();
}

}  // namespace

constexpr PlanKind trees_kind{.name = "trees",
                              .is = "is made of trees",
                              .here = "here is a tree",
                              .stream = "tree",
                              .keys = tree_keys,
                              .serves = go_along_trees,
                              .one_promise = false,
                              .wants_datagrams = false,
                              .read = read_trees};

}  // namespace trunkline
