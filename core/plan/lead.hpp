// SPDX-License-Identifier: Apache-2.0
// Operands that go up several trees by turns: how far a rank may be ahead in those in which it is a leaf.
#pragma once

#include <cstdint>
#include <vector>

#include "patterns/tree.hpp"
#include "plan/in_flight.hpp"

namespace trunkline {

/// A leaf has its operands at once, and an inner rank must wait for those from below. A rank is mostly both, in one
/// tree each, and what it sends as a leaf takes its link from what has come a long way. So its lead as a leaf is
/// bounded, in segments. With too small a lead ranks wait for each other in a circle: as inner ranks for leaves, and as
/// leaves for the segments that they get as inner ranks.
///
/// Returns the hops that segments go on such a circle for each time that it turns from an inner rank to a leaf, of the
/// circle where these are most: a lead that lasts for the time of as many hops holds no rank up. Zero where there is no
/// such circle. At most a tenth too much. Time O(ranks * trees).
[[nodiscard]] double hops_for_each_lead(const std::vector<Tree>& trees);

/// How many segments a rank may be ahead in trees in which it is a leaf: `trees` of them take segments by turns.
[[nodiscard]] std::uint64_t lead_of(std::uint64_t trees, std::uint64_t segment_bytes, const InFlight& in_flight);

}  // namespace trunkline
