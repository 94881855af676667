// SPDX-License-Identifier: Apache-2.0
// In which rounds a tree's ranks send the first segment on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "network/placement.hpp"
#include "plan/tree_shape.hpp"

namespace trunkline {

/// To a node; or, where that is no_node, to nobody else. Right before it so many local leaves get theirs: of those of
/// one parent the last one is the latest, and all of them are taken together.
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
