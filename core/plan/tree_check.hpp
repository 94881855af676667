// SPDX-License-Identifier: Apache-2.0
// The proof of one tree, whatever a kind of plan has it for.
#pragma once

#include "patterns/tree.hpp"

namespace trunkline {

/// Replays the tree from its root. Throws InvalidPlan naming the rank where a parent or a child is out of range,
/// a rank is reached twice or never, or `parent` and `children` disagree, or where the root exchanges with a rank that
/// is not one of its children.
void check_tree(const Tree& tree);

/// For a tree that data go one way only. Throws InvalidPlan where it has an exchange.
void check_no_exchange(const Tree& tree);

}  // namespace trunkline
