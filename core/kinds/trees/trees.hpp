// SPDX-License-Identifier: Apache-2.0
// Plans of trees: segments go down one, or down several by turns; reductions go up the same trees. Shares go along one,
// from each rank to all others.
#pragma once

#include <span>
#include <vector>

#include "patterns/over_hosts.hpp"
#include "patterns/tree.hpp"
#include "plan/checker.hpp"
#include "plan/plan.hpp"
#include "plan/tree_shape.hpp"

namespace trunkline {

/// Trees that take segments by turns: segment i goes down tree i mod size().
using Trees = std::vector<Tree>;

[[nodiscard]] Plan plan_of(Trees trees);
/// The same of trees over hosts, which are laid over the ranks once somebody asks for them.
[[nodiscard]] Plan plan_of(HostTrees trees);

/// Null where the plan is of another kind.
[[nodiscard]] const Trees* find_trees(const Plan& plan);

/// Throws std::invalid_argument where the plan is of another kind.
[[nodiscard]] const Trees& trees_of(const Plan& plan);

/// Its trees as the way of their segments sees them. Throws std::invalid_argument where the plan is of another kind.
[[nodiscard]] std::vector<TreeShape> shapes_of(const Plan& plan, const Placement& placement);

/// check_tree() for each of the trees of one plan, of which there must be one, all over the same ranks from the same
/// root.
void check_trees(std::span<const Tree> trees);

/// Loads of all channels when every transfer of the tree is under way at once, as in a filled pipeline
/// (Patarasuk, Faraj, Yuan 2008, section 3), beside their capacity. Transfers between ranks of one host use no channel.
[[nodiscard]] Contention contention_of(const Cluster& cluster, const Placement& placement, const Tree& tree,
                                       std::size_t most = 8);

/// The same for trees that take segments by turns: each transfer then counts as 1 / trees.size() of the message, and
/// the loads are those parts, rounded up. One tree is treated as above.
[[nodiscard]] Contention contention_of(const Cluster& cluster, const Placement& placement, std::span<const Tree> trees,
                                       std::size_t most = 8);

/// Whether below each rank of a tree there are ranks in a row, and each of its children has a part of them. Where the
/// root exchanges, all ranks on one of the two sides must come before all on the other.
[[nodiscard]] bool keeps_rank_order(const Tree& tree);
/// Of all of these.
[[nodiscard]] bool keeps_rank_order(const HostTrees& trees);

/// Appends the part of a plan file that says what each rank sends. Throws InvalidPlan.
void write_trees(std::string& yaml, std::span<const Tree> trees);

}  // namespace trunkline
