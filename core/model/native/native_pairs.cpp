// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_pairs.hpp"

#include <algorithm>

#include "model/native/exchanges.hpp"
#include "model/transfer/segments.hpp"

namespace trunkline {
namespace {

/// Each rank sends the blocks whose way has that bit to the rank that is so much further.
std::vector<Exchange> by_bruck(Rank ranks) {
  std::vector<Exchange> all;
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    Exchange& one = all.emplace_back();
    Rank blocks = 0;
    for (Rank way = 1; way < ranks; ++way) blocks += (way & distance) != 0 ? 1 : 0;
    one.part = blocks;
    for (Rank rank = 0; rank < ranks; ++rank) one.transfers.emplace_back(rank, (rank + distance) % ranks);
  }
  return all;
}

}  // namespace

bool mpich_exchanges_by_bruck(Rank ranks, std::uint64_t block_bytes) {
  constexpr std::uint64_t short_bytes = 256;
  constexpr Rank least_ranks = 8;
  return block_bytes <= short_bytes && ranks >= least_ranks;
}

NativePairCosts native_pair_costs(const Paths& paths, const Placement& placement, NativeLibrary library,
                                  const HostCosts& hosts) {
  NativePairCosts costs{
      .is_known = library == NativeLibrary::mpich, .ranks = static_cast<Rank>(placement.size()), .hosts = hosts};
  if (costs.ranks < 2) return costs;
  costs.straight = pair_costs(paths, placement, generate_rounds("alltoall-ring", by_number(costs.ranks, 0)), hosts);
  costs.bruck = exchange_costs(paths, placement, by_bruck(costs.ranks));
  return costs;
}

double native_pair_seconds(const NativePairCosts& costs, std::uint64_t block_bytes) {
  if (costs.ranks < 2) return 0.0;
  const double straight_s = costs.straight.seconds(block_bytes, segment_sizes().back());
  double bruck_s = 0.0;
  for (const RoundCost& one : costs.bruck) {
    bruck_s += one.seconds(block_bytes, one.transfer_bytes(block_bytes), costs.hosts);
  }
  if (!costs.is_known) return std::min(straight_s, bruck_s);
  return mpich_exchanges_by_bruck(costs.ranks, block_bytes) ? bruck_s : straight_s;
}

}  // namespace trunkline
