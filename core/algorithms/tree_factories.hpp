// SPDX-License-Identifier: Apache-2.0
// What lays the trees of the registry's rows. Trees that follow the network are laid over hosts, whose ranks are one
// stage.
#pragma once

#include "algorithms/ground.hpp"
#include "algorithms/trees/middle.hpp"
#include "patterns/over_hosts.hpp"
#include "plan/plan.hpp"

namespace trunkline {

[[nodiscard]] Plan lay_one(Tree tree);

[[nodiscard]] Plan lay_linear(const Ground& on);
[[nodiscard]] Plan lay_k_ary(const Ground& on);
[[nodiscard]] Plan lay_two_tree(const Ground& on);
/// The same before it is laid over the ranks.
[[nodiscard]] HostTrees two_trees_over_hosts(const Ground& on);

[[nodiscard]] Plan lay_by_sites(const Ground& on);
[[nodiscard]] Plan lay_by_sites_in_lanes(const Ground& on);
/// Several trees by turns, from one root.
[[nodiscard]] Plan lay_packed_by_sites(const Ground& on);
/// The middle of all sites where the plan may choose its root, else `root`.
[[nodiscard]] Middle middle_or_root(const Ground& on, const Placement& placement, Rank root);

/// The generator's shape (docs/wide-area.md) over the ranks, for the whole message with its frames.
[[nodiscard]] Plan lay_weighted(const Ground& on);

/// With up to `on.k` hosts below each.
[[nodiscard]] Plan lay_lane_tree(const Ground& on);

[[nodiscard]] Plan lay_flat(const Ground& on);
[[nodiscard]] Plan lay_k_nomial(const Ground& on);
[[nodiscard]] Plan lay_hierarchical(const Ground& on);
[[nodiscard]] Plan lay_unaware_linear(const Ground& on);
[[nodiscard]] Plan lay_unaware_k_ary(const Ground& on);

}  // namespace trunkline
