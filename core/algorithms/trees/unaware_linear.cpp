// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/unaware_linear.hpp"

namespace trunkline {

Tree unaware_linear_tree(Rank ranks, Rank root) {
  check_root(ranks, root);
  return line_through(by_number(ranks, root));
}

}  // namespace trunkline
