// SPDX-License-Identifier: Apache-2.0
// The proof of one tree, whatever a kind of plan has it for.
#pragma once

#include "patterns/tree.hpp"

namespace trunkline {

/// Replays the tree from its root. Throws InvalidPlan naming the rank where a parent or a child is out of range,
/// a rank is reached twice or never, or `parent` and `children` disagree.
void check_tree(const Tree& tree);

}  // namespace trunkline
