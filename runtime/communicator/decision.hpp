// SPDX-License-Identifier: Apache-2.0
// What one broadcast is going to run, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/pipelined_tree.hpp"
#include "model/tree_costs.hpp"

namespace trunkline::runtime {

/// A tree as one rank sees it.
struct LaidTree {
  std::string_view key;  ///< tells it from the root's other trees
  const char* name;      ///< the algorithm's; static storage
  LocalTree local;
  std::optional<TreeCosts> costs;  ///< where a cluster tells the rates
  std::string load;                ///< how its transfers share channels, where explanations are wanted; else empty
};

struct Decision {
  const LaidTree* tree = nullptr;   ///< null: native
  std::uint64_t segment_bytes = 0;  ///< with a tree
  std::string reason;
};

}  // namespace trunkline::runtime
