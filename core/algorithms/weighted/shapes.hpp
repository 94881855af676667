// SPDX-License-Identifier: Apache-2.0
// The one list of shapes over weighted graphs.
#pragma once

#include <span>
#include <string_view>

#include "patterns/tree.hpp"
#include "weighted_graph/graph.hpp"

namespace trunkline {

struct WeightedShape {
  std::string_view name;
  std::string_view description;  ///< one line
  Tree (*lay)(const WeightedGraph& graph, Rank root);
};

/// `optimum`, for small graphs alone, is the last one.
[[nodiscard]] std::span<const WeightedShape> weighted_shapes();

/// Throws std::invalid_argument where there is none of that name.
[[nodiscard]] const WeightedShape& weighted_shape(std::string_view name);

}  // namespace trunkline
