// SPDX-License-Identifier: Apache-2.0
// Which pairs of hosts are measured, and which of them at the same time without disturbing each other.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "network/cluster.hpp"

namespace trunkline {

using HostPair = std::pair<HostIndex, HostIndex>;

/// Pairs of these hosts, each once, first the lower index; at most `most`, but no fewer than it takes to tell from them
/// what any other pair takes, as sums over links. All pairs where they are few enough. Else, in this order: around each
/// switch each host with the next two; for each link four pairs, among two hosts on either side; further ones by lot,
/// the same in every run. Time O(links x nodes) at worst, mostly O(nodes + pairs).
[[nodiscard]] std::vector<HostPair> pairs_to_measure(const Cluster& cluster, std::span<const HostIndex> hosts,
                                                     std::size_t most);

/// The pairs in rounds: within a round no two share a host, or a link in any direction. Each pair goes to the first
/// round that has room for it. Time O(pairs x rounds x longest path).
[[nodiscard]] std::vector<std::vector<HostPair>> rounds_of_pairs(const Cluster& cluster,
                                                                 std::span<const HostPair> pairs);

}  // namespace trunkline
