// SPDX-License-Identifier: Apache-2.0
// What one broadcast is going to run, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/pipelined_trees.hpp"
#include "model/tree_costs.hpp"

namespace trunkline::runtime {

/// A tree, or several that take segments by turns, as one rank sees them.
struct LaidTrees {
  std::string_view key;  ///< tells them from the root's others
  const char* name;      ///< the algorithm's; static storage
  std::vector<LocalTree> local;
  std::optional<TreeCosts> costs;  ///< where a cluster tells the rates
  std::string load;                ///< how its transfers share channels, where explanations are wanted; else empty
};

struct Decision {
  const LaidTrees* trees = nullptr;  ///< null: native
  std::uint64_t segment_bytes = 0;   ///< with trees
  std::string reason;
};

}  // namespace trunkline::runtime
