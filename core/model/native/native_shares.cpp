// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_shares.hpp"

#include <algorithm>
#include <limits>

namespace trunkline {
namespace {

std::vector<Exchange> round_a_ring(Rank ranks) {
  Exchange one{.transfers = {}, .part = 1.0 / ranks, .times = ranks - 1.0};
  for (Rank rank = 0; rank < ranks; ++rank) one.transfers.emplace_back(rank, (rank + 1) % ranks);
  return {one};
}

/// Of any number of ranks, as Bruck does it: to the one 1, 2, 4, ... before, all that there is, up to what it lacks.
std::vector<Exchange> doubling(Rank ranks) {
  std::vector<Exchange> all;
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    Exchange& one = all.emplace_back();
    one.part = static_cast<double>(std::min(distance, ranks - distance)) / ranks;
    for (Rank rank = 0; rank < ranks; ++rank) one.transfers.emplace_back(rank, (rank + ranks - distance) % ranks);
  }
  return all;
}

}  // namespace

NativeShareCosts native_share_costs(const Paths& paths, const Placement& placement, const HostCosts& hosts) {
  NativeShareCosts costs{.ranks = static_cast<Rank>(placement.size()), .hosts = hosts};
  if (costs.ranks < 2) return costs;
  for (const auto& exchanges : {round_a_ring(costs.ranks), doubling(costs.ranks)}) {
    costs.algorithms.push_back(exchange_cost(paths, placement, exchanges));
  }
  return costs;
}

double native_share_seconds(const NativeShareCosts& costs, std::uint64_t message_bytes) {
  if (costs.algorithms.empty()) return 0.0;
  double fastest = std::numeric_limits<double>::infinity();
  for (const RoundCost& one : costs.algorithms) {
    fastest = std::min(fastest, one.seconds(message_bytes, message_bytes / costs.ranks + 1, costs.hosts));
  }
  return fastest;
}

}  // namespace trunkline
