// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "kinds/trees/trees.hpp"

namespace trunkline {

void check_trees(std::span<const Tree> trees) {
  if (trees.empty()) {
    throw InvalidPlan("the plan has no tree");
  }
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const std::string which = "tree " + std::to_string(i + 1);
    if (trees[i].size() != trees[0].size()) {
      throw InvalidPlan(which + " has " + std::to_string(trees[i].size()) + " ranks, and the first has " +
                        std::to_string(trees[0].size()));
    }
    if (trees[i].root != trees[0].root) {
      throw InvalidPlan(which + " starts at rank " + std::to_string(trees[i].root) + ", and the first at rank " +
                        std::to_string(trees[0].root));
    }
    try {
      check_tree(trees[i]);
    } catch (const InvalidPlan& invalid) {
      throw InvalidPlan(trees.size() == 1 ? invalid.what() : which + ": " + invalid.what());
    }
  }
}

}  // namespace trunkline
