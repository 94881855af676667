// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_barrier.hpp"

#include "model/native/reduction_exchanges.hpp"
#include "patterns/over_hosts.hpp"

namespace trunkline {

NativeBarrierCosts native_barrier_costs(const Paths& paths, const Placement& placement, NativeLibrary library,
                                        const HostCosts& hosts) {
  const bool by_hosts = library == NativeLibrary::mpich && !is_one_host(placement);
  const Placement among = by_hosts ? ranks_of_hosts(placement, 0).placement : placement;
  return {.rounds = exchange_cost(paths, among, dissemination(static_cast<Rank>(among.size()))), .hosts = hosts};
}

/// Each message is a word, whatever a call of data would have.
double native_barrier_seconds(const NativeBarrierCosts& costs, std::uint64_t /*message_bytes*/) {
  return costs.rounds.seconds(1, 1, costs.hosts);
}

}  // namespace trunkline
