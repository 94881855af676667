// SPDX-License-Identifier: Apache-2.0
// The line in rank order, blind to the network: what the papers compare against.
#pragma once

#include "patterns/tree.hpp"

namespace trunkline {

/// root -> root + 1 -> ... -> ranks - 1 -> 0 -> ... -> root - 1.
/// Throws std::invalid_argument where `root` is not below `ranks`.
[[nodiscard]] inline Tree unaware_linear_tree(Rank ranks, Rank root) {
  check_root(ranks, root);
  return line_through(by_number(ranks, root));
}

}  // namespace trunkline
