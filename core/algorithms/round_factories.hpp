// SPDX-License-Identifier: Apache-2.0
// What lays the rounds of the registry's rows: the row's generator, with ranks in an order, in groups that fit.
#pragma once

#include "algorithms/ground.hpp"
#include "plan/plan.hpp"

namespace trunkline {

[[nodiscard]] Plan lay_by_rank_number(const Ground& on);
/// The same, wherever the root is.
[[nodiscard]] Plan lay_from_rank_0(const Ground& on);
/// Ranks depth first over the switches.
[[nodiscard]] Plan lay_depth_first(const Ground& on);
/// The same, dealt (algorithms/rounds/dealt.hpp).
[[nodiscard]] Plan lay_dealt(const Ground& on);
/// The same, in groups of hosts' and switches' ranks, as far as those are alike.
[[nodiscard]] Plan lay_in_nested_groups(const Ground& on);
/// The same where ranks of a host take parts of the message: such groups there always are.
[[nodiscard]] Plan lay_in_parts(const Ground& on);
/// Blocks of pairs of ranks, in phases (algorithms/rounds/pair_phases.hpp).
[[nodiscard]] Plan lay_pair_phases(const Ground& on);
/// The same by way of the first ranks of hosts (algorithms/rounds/pairs_by_hosts.hpp).
[[nodiscard]] Plan lay_pairs_by_hosts(const Ground& on);
/// The same, in groups of hosts' ranks alone.
[[nodiscard]] Plan lay_in_lanes(const Ground& on);
/// The same, with hosts in groups of at most `on.k`; fewer than three ranks of a host have nothing to gain, and
/// exchange in pairs.
[[nodiscard]] Plan lay_lane_radix(const Ground& on);

}  // namespace trunkline
