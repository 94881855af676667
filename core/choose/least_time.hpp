// SPDX-License-Identifier: Apache-2.0
// The time below which no algorithm comes, whatever it is: hosts' links have to carry so much.
#pragma once

#include "collective/collective.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// Seconds for each byte of the message on the wire; 0 where all ranks share one host. Where data is reduced or handed
/// to all, the slowest host's link carries the whole message one way at least; of an allreduce all links together carry
/// it 2 (hosts - 1) times (Patarasuk, Yuan 2009); where everybody has a share, a host's link all but its own ranks'.
/// Shares are taken for equal. Time O(ranks + hosts).
[[nodiscard]] double least_byte_s(const Paths& paths, const Placement& placement, Collective collective);

}  // namespace trunkline
