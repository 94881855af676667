// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "plan/kind.hpp"

namespace trunkline {

/// Segments go down one tree, or down several by turns.
extern const PlanKind trees_kind;

/// Reads `root` and either a tree beside it or, below `trees`, a list of trees that take segments by turns. A tree is
/// `line` (ranks in order, ranges such as 4-7 allowed) or `sends` (for each rank the ranks it sends to, in order), and
/// where data go up and down may have `exchange`, with whom the root exchanges. A rank may be named by its host where
/// `host_of_rank` gives that host one rank.
/// With every fault reported where it stands: keys missing or contradicting each other and, where the number of ranks
/// is known, unless each rank is reached from the root once in each tree. Empty where there is any.
[[nodiscard]] std::optional<Plan> read_trees(const YamlNode& plan, const PlanHead& head, Faults& faults);

}  // namespace trunkline
