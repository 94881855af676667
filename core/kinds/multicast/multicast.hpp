// SPDX-License-Identifier: Apache-2.0
// Plans by multicast: the root sends each datagram once, to all ranks; along a tree they confirm what they have.
#pragma once

#include <string>

#include "network/paths.hpp"
#include "patterns/tree.hpp"
#include "plan/checker.hpp"
#include "plan/plan.hpp"

namespace trunkline {

/// Who sends to all at once, and along which tree ranks confirm.
struct Multicast {
  Tree confirm;  ///< from the sender, its root: each rank reports to its parent
  double byte_s =
      0.0;  ///< pace: seconds for each byte on the wire, of the slowest link on any way from the root; 0: none
};

[[nodiscard]] Plan plan_of(Multicast multicast);

/// Throws std::invalid_argument where the plan is of another kind.
[[nodiscard]] const Multicast& multicast_of(const Plan& plan);

/// Null where the plan is of another kind.
[[nodiscard]] const Multicast* find_multicast(const Plan& plan);

/// The pace: seconds for each byte on one link of the slowest channel on any way from the root's host to those of the
/// others; 0 where all ranks are on one host.
[[nodiscard]] double slowest_byte_s(const Paths& paths, const Placement& placement, Rank root);

/// Throws InvalidPlan where the confirm tree is none through all ranks, or the pace is neither 0 nor a rate that a
/// link has (text/quantity.hpp).
void check_multicast(const Multicast& multicast);

/// One sender on each channel between the root's host and any other: switches copy what comes in once. What ranks
/// confirm is not counted: a report of some 100 bytes for each 16 packets.
[[nodiscard]] Contention contention_of(const Cluster& cluster, const Placement& placement, const Multicast& multicast,
                                       std::size_t most = 8);

/// Appends the part of a plan file that says who confirms to whom. Throws InvalidPlan.
void write_multicast(std::string& yaml, const Multicast& multicast);

}  // namespace trunkline
