// SPDX-License-Identifier: Apache-2.0
#include "plan/shapes/unaware_linear.hpp"

namespace trunkline {

Tree unaware_linear_tree(Rank ranks, Rank root) {
  check_root(ranks, root);
  std::vector<Rank> order(ranks);
  for (Rank i = 0; i < ranks; ++i) {
    order[i] = i < ranks - root ? root + i : i - (ranks - root);
  }
  return line_through(order);
}

}  // namespace trunkline
