// SPDX-License-Identifier: Apache-2.0
// What one broadcast is going to run, and why.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "collectives/block_exchange.hpp"
#include "collectives/pipelined_trees.hpp"
#include "model/block_costs.hpp"
#include "model/tree_costs.hpp"

namespace trunkline::runtime {

/// An algorithm as one rank sees it: a tree, or several that take segments by turns, or blocks.
struct Laid {
  std::string_view key;  ///< tells them from the root's others
  const char* name;      ///< the algorithm's; lives as long as the process
  std::variant<std::vector<LocalTree>, LocalBlocks> local;
  std::optional<std::variant<TreeCosts, BlockCosts>> costs;  ///< where a cluster tells the rates
  std::string load;  ///< how its transfers share channels, where explanations are wanted; else empty
};

/// Shared by all calls that it holds for; whoever runs one keeps it alive.
struct Decision {
  std::shared_ptr<const Laid> laid{};  ///< null: native
  std::uint64_t segment_bytes = 0;     ///< where it is not native
  std::string reason{};
};

}  // namespace trunkline::runtime
