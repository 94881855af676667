// SPDX-License-Identifier: Apache-2.0
// How many senders a channel carries without slowing any of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/cluster.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// The capacity of each link, by its number, the same in both directions: how often the rate at which the placement's
/// fastest host sends goes into that of one link in its slower direction, at least once. A host counts with all of its
/// links side by side, since it may send on all of them; a trunk with one of its links, since a hash may put all flows
/// on the same one. So as many senders as a channel has room for do not slow each other, whatever the hash. A host's
/// own link has room for one. Time O(ranks + links). Throws std::invalid_argument where there are no ranks, or a host
/// of `placement` is not in the cluster.
[[nodiscard]] std::vector<std::uint32_t> capacities_of(const Cluster& cluster, const Placement& placement);

/// Whether any link has room for more than one sender.
[[nodiscard]] bool any_above_one(std::span<const std::uint32_t> capacities);

}  // namespace trunkline
