// SPDX-License-Identifier: Apache-2.0
// In which rounds a tree's ranks send the first segment on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "network/placement.hpp"
#include "plan/tree_shape.hpp"

namespace trunkline {

/// A send of `parent` to `to`; no_node: to local leaves alone. Right before it `local_leaves` leaves get theirs: the
/// last one of a parent is the latest, and all of them are taken together.
struct FirstSend {
  std::uint32_t parent = TreeShape::no_node;
  std::uint32_t to = TreeShape::no_node;
  Rank local_leaves = 0;
};
struct FirstSends {
  std::vector<FirstSend> sends{};
  std::vector<std::size_t> begin{0};  ///< of each round, and the end
};

/// Who gets the first segment in which round, if every send takes one. A root that exchanges has it as the other
/// does.
[[nodiscard]] FirstSends first_sends(const TreeShape& shape);

}  // namespace trunkline
