// SPDX-License-Identifier: Apache-2.0
// Which host each rank sits on.
#pragma once

#include <cstdint>
#include <vector>

#include "network/cluster.hpp"

namespace trunkline {

using Rank = std::uint32_t;
inline constexpr Rank no_rank = 0xFFFFFFFFU;

/// host_of_rank[r] is the host of rank r; several ranks may share a host, hosts may stay empty.
using Placement = std::vector<HostIndex>;

/// Ranks 0 .. hosts * ranks_per_host - 1, host by host: rank r sits on host r / ranks_per_host.
[[nodiscard]] Placement block_placement(const Cluster& cluster, std::uint32_t ranks_per_host);

/// Whether all ranks sit on one host; so do none.
[[nodiscard]] bool is_one_host(const Placement& placement);

/// Throws std::invalid_argument where a host of `placement` is not in the cluster, or `root` is no rank of it.
void check_placement(const Cluster& cluster, const Placement& placement, Rank root);

/// Throws std::invalid_argument where `root` is not below `ranks`.
void check_root(Rank ranks, Rank root);

/// The rank that stands `relative` places after the root, round the end.
[[nodiscard]] constexpr Rank absolute(std::uint64_t relative, Rank root, Rank ranks) {
  return static_cast<Rank>((relative + root) % ranks);
}

/// All ranks by number from the root on, round the end.
[[nodiscard]] std::vector<Rank> by_number(Rank ranks, Rank root);

}  // namespace trunkline
