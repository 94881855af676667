// SPDX-License-Identifier: Apache-2.0
#include "plan/shapes/unaware_linear.hpp"

#include <stdexcept>
#include <string>

namespace trunkline {

Tree unaware_linear_tree(Rank ranks, Rank root) {
  if (root >= ranks) {
    throw std::invalid_argument("root " + std::to_string(root) + " is not among " + std::to_string(ranks) + " ranks");
  }
  std::vector<Rank> order(ranks);
  for (Rank i = 0; i < ranks; ++i) {
    order[i] = i < ranks - root ? root + i : i - (ranks - root);
  }
  return line_through(order);
}

}  // namespace trunkline
