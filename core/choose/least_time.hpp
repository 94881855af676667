// SPDX-License-Identifier: Apache-2.0
// The time below which no algorithm comes, whatever it is: hosts' links have to carry so much.
#pragma once

#include <cstdint>

#include "collective/collective.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// Seconds for each byte of the message on the wire; 0 where all ranks share one host. Where data is reduced or handed
/// to all, the slowest host's link carries the whole message one way at least; of an allreduce all links together carry
/// it 2 (hosts - 1) times (Patarasuk, Yuan 2009); where everybody has a share, a host's link all but its own ranks';
/// of blocks of pairs, the fullest link those of all pairs that it lies between.
/// Shares are taken for equal. Time O(ranks + hosts).
[[nodiscard]] double least_byte_s(const Paths& paths, const Placement& placement, Collective collective);

/// Seconds below which no call is that brings `message_bytes` whole from hosts to hosts: the latencies of all links on
/// a way, and the bytes with their frames over the slowest one, of whichever way is longest; where paths are the
/// shortest, over all ways of long links together (most_rate() of patterns/arborescences.hpp). Ways from the root to
/// all others, or to it; without a root those between any two. What hosts spend and what switches store is left out.
/// Where everybody has a share, ways are those of a share; and no channel carries less than the shares of all ranks
/// before it, or, where they are reduced, behind it. Time O(nodes), or O(hosts^2) without a root.
[[nodiscard]] double least_crossing_s(const Paths& paths, const Placement& placement, Collective collective, Rank root,
                                      std::uint64_t message_bytes);

}  // namespace trunkline
