// SPDX-License-Identifier: Apache-2.0
// The same network with impairments that somebody names on a command.
#pragma once

#include <string_view>

#include "network/cluster.hpp"

namespace trunkline {

/// The cluster with one key of network/impair/keys.hpp set. `setting` is a value, for every link or switch, or
/// WHERE=VALUE. WHERE is a host list of nodes, and means all links of each, or two of them with a - between. For keys
/// of switches it is a host list of switches. Throws std::invalid_argument with what would be right.
[[nodiscard]] Cluster impaired(const Cluster& cluster, std::string_view key, std::string_view setting);

/// The cluster with links and switches that do nothing but carry frames.
[[nodiscard]] Cluster unimpaired(const Cluster& cluster);

/// The cluster whose switches hold that much at a port where it says nothing of them.
[[nodiscard]] Cluster with_queues(const Cluster& cluster, std::uint64_t bytes);

/// Whether a link of the cluster has any.
[[nodiscard]] bool has_impairments(const Cluster& cluster);

}  // namespace trunkline
