// SPDX-License-Identifier: Apache-2.0
// An alltoall of short blocks by way of hosts: the ranks of a host give all that they have for others to its first
// rank, which sends each other host one message, and hands out what came.
//
// Cost: on the fullest link, n T(k k m) of its n messages, with k ranks a host; and 2 k T(P m) within each host.
#pragma once

#include <span>

#include "network/placement.hpp"
#include "patterns/round_list.hpp"

namespace trunkline {

/// Of blocks by position in that order, in which the ranks of each host stand in a row. Hosts exchange in a ring, dealt
/// (dealt.hpp, pair_ring.hpp). A host's first rank talks to one rank of each other host, all others to it alone. Time
/// O(ranks + hosts^2).
[[nodiscard]] RoundList pairs_by_hosts(const Placement& placement, std::span<const Rank> order);

}  // namespace trunkline
