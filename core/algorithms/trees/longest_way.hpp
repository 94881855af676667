// SPDX-License-Identifier: Apache-2.0
// How far the last rank of a tree is from the root, over the links of the network.
#pragma once

#include <cstdint>
#include <span>

#include "network/cluster.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

/// Links that a segment crosses on its way from the root to a rank, at most, in any of the trees. Each costs its
/// latency and a frame that is stored. The placement fits the trees. Time O(nodes + ranks * log(nodes)).
[[nodiscard]] std::uint32_t longest_way(const Cluster& cluster, const Placement& placement,
                                        std::span<const Tree> trees);

/// Whether trees are lower than others, and no way in them is longer: levels are not saved by crossing trunks more
/// often.
[[nodiscard]] bool are_lower(const Cluster& cluster, const Placement& placement, std::span<const Tree> trees,
                             std::span<const Tree> others);

}  // namespace trunkline
