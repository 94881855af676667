// SPDX-License-Identifier: Apache-2.0
#include "model/native_bcast.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "plan/shapes/k_nomial.hpp"

namespace trunkline {

NativeCosts native_costs(const Cluster& cluster, const Placement& placement, Rank root) {
  NativeCosts costs;
  costs.ranks = static_cast<Rank>(placement.size());
  if (costs.ranks < 2) return costs;
  const std::vector<Rank> order = by_number(costs.ranks, root);
  costs.binomial = tree_costs(cluster, placement, k_nomial_tree(costs.ranks, root, 2));
  costs.scatter_doubling_allgather = scatter_doubling_cost(cluster, placement, order);
  costs.scatter_ring_allgather = scatter_ring_cost(cluster, placement, order);
  return costs;
}

double native_bcast_seconds(const NativeCosts& costs, std::uint64_t message_bytes, NativeLibrary library) {
  constexpr std::uint64_t mpich_short = 12288;
  constexpr std::uint64_t mpich_long = 524288;
  constexpr Rank mpich_few = 8;
  const double binomial = tree_seconds(costs.binomial, message_bytes, message_bytes);
  const std::uint64_t block = message_bytes / std::max<Rank>(costs.ranks, 1) + 1;
  const double ring = costs.scatter_ring_allgather.seconds(message_bytes, block);
  if (library == NativeLibrary::openmpi) return std::min(binomial, ring);
  if (message_bytes < mpich_short || costs.ranks < mpich_few) return binomial;
  if (message_bytes < mpich_long && std::has_single_bit(costs.ranks)) {
    return costs.scatter_doubling_allgather.seconds(message_bytes, block);
  }
  return ring;
}

}  // namespace trunkline
