// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_shares.hpp"

#include <algorithm>
#include <bit>

#include "model/native/reduction_exchanges.hpp"

namespace trunkline {
namespace {

std::vector<Exchange> round_a_ring(Rank ranks) {
  Exchange one{.transfers = {}, .part = 1.0 / ranks, .times = ranks - 1.0};
  for (Rank rank = 0; rank < ranks; ++rank) one.transfers.emplace_back(rank, (rank + 1) % ranks);
  return {one};
}

/// Each rank sends each other one its block, all at the same distance at a time. Of many distances some stand for all.
std::vector<Exchange> at_each_distance(Rank ranks) {
  constexpr Rank most_looked_at = 16;
  const Rank distances = ranks - 1;
  const Rank looked_at = std::min(distances, most_looked_at);
  std::vector<Exchange> all;
  for (Rank k = 0; k < looked_at; ++k) {
    const Rank distance = 1 + static_cast<Rank>(std::uint64_t{k} * distances / looked_at);
    Exchange& one = all.emplace_back();
    one.part = 1.0 / ranks;
    one.times = static_cast<double>(distances) / looked_at;
    for (Rank rank = 0; rank < ranks; ++rank) one.transfers.emplace_back(rank, (rank + distance) % ranks);
  }
  return all;
}

/// Of a power of two of ranks in pairs, by recursive doubling; of any other number as Bruck does it, to the one 1, 2,
/// 4, ... before. All that there is, up to what it lacks.
std::vector<Exchange> doubling(Rank ranks) {
  std::vector<Exchange> all;
  const bool in_pairs = std::has_single_bit(ranks);
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    Exchange& one = all.emplace_back();
    one.part = static_cast<double>(std::min(distance, ranks - distance)) / ranks;
    for (Rank rank = 0; rank < ranks; ++rank) {
      one.transfers.emplace_back(rank, in_pairs ? rank ^ distance : (rank + ranks - distance) % ranks);
    }
  }
  return all;
}

}  // namespace

bool mpich_gathers_round_a_ring(Rank ranks, std::uint64_t message_bytes) {
  constexpr std::uint64_t long_bytes = 524288;
  constexpr std::uint64_t bruck_bytes = 81920;
  return message_bytes >= (std::has_single_bit(ranks) ? long_bytes : bruck_bytes);
}

bool mpich_scatters_pairwise(std::uint64_t message_bytes) {
  constexpr std::uint64_t long_bytes = 524288;
  return message_bytes >= long_bytes;
}

NativeShareCosts native_share_costs(const Paths& paths, const Placement& placement, Collective collective,
                                    NativeLibrary library, const HostCosts& hosts,
                                    std::optional<std::uint64_t> only_bytes) {
  const bool reduces = facts_of(collective).reduces;
  NativeShareCosts costs{.ranks = static_cast<Rank>(placement.size()), .hosts = hosts};
  costs.is_known = library == NativeLibrary::mpich;
  costs.reduces = reduces;
  if (costs.ranks < 2) return costs;
  const auto taken = [&](std::vector<Exchange> all) {
    for (Exchange& one : all) one.reducing = reduces ? 1.0 : 0.0;
    return all;
  };
  const bool may_be_pairwise = library == NativeLibrary::mpich && reduces;
  const bool all = !only_bytes;
  const bool pairwise = may_be_pairwise && !all && mpich_scatters_pairwise(*only_bytes);
  const bool one_of_two = costs.is_known && !all;
  const bool round = !all && !reduces && mpich_gathers_round_a_ring(costs.ranks, *only_bytes);
  if (!may_be_pairwise && (!one_of_two || round)) {
    costs.ring = exchange_cost(paths, placement, taken(round_a_ring(costs.ranks)));
  }
  if (!pairwise && (!one_of_two || !round)) {
    costs.doubling = exchange_costs(paths, placement, reduces ? halving_of_blocks(costs.ranks) : doubling(costs.ranks));
  }
  if (pairwise || (may_be_pairwise && all)) {
    costs.pairwise = exchange_cost(paths, placement, taken(at_each_distance(costs.ranks)));
  }
  return costs;
}

double native_share_seconds(const NativeShareCosts& costs, std::uint64_t message_bytes) {
  if (costs.ranks < 2) return 0.0;
  const std::uint64_t share_bytes = (message_bytes + costs.ranks - 1) / costs.ranks;
  if (costs.pairwise && mpich_scatters_pairwise(message_bytes)) {
    return costs.pairwise->seconds(message_bytes, share_bytes, costs.hosts);
  }
  double doubling_s = 0.0;
  for (const RoundCost& one : costs.doubling) {
    doubling_s += one.seconds(message_bytes, one.transfer_bytes(message_bytes), costs.hosts);
  }
  if (costs.is_known && costs.reduces) return doubling_s;
  const double ring_s = costs.ring.seconds(message_bytes, share_bytes, costs.hosts);
  if (!costs.is_known) return std::min(ring_s, doubling_s);
  return mpich_gathers_round_a_ring(costs.ranks, message_bytes) ? ring_s : doubling_s;
}

}  // namespace trunkline
