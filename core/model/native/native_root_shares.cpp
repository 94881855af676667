// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_root_shares.hpp"

#include <algorithm>
#include <string_view>

#include "model/native/openmpi_rules.hpp"
#include "model/transfer/path_loads.hpp"
#include "model/transfer/segments.hpp"
#include "model/transfer/wire.hpp"

namespace trunkline {

NativeRootShareCosts native_root_share_costs(const Paths& paths, const Placement& placement, Collective collective,
                                             Rank root, NativeLibrary library, const HostCosts& hosts) {
  const auto ranks = static_cast<Rank>(placement.size());
  const bool gathers = facts_of(collective).after == Holding::all_at_root;
  NativeRootShareCosts costs{.library = library, .gathers = gathers};
  if (ranks < 2) return costs;
  const std::string_view generator = gathers ? "gather-binomial" : "scatter-binomial";
  constexpr bool in_step = true;
  costs.tree = round_costs(paths, placement, generate_rounds(generator, by_number(ranks, root)), hosts, in_step);
  if (library == NativeLibrary::mpich) return costs;
  PathLoads loads(paths);
  const NodeId at_root = paths.cluster().hosts()[placement[root]];
  for (const HostIndex host : placement) {
    const NodeId other = paths.cluster().hosts()[host];
    if (other == at_root) continue;
    const NodeId from = gathers ? other : at_root;
    const NodeId to = gathers ? at_root : other;
    loads.add(from, to, 1.0 / ranks);
    costs.straight_messages += 1.0;
    costs.straight_latency_s = std::max(costs.straight_latency_s, paths.latency_s(from, to, paths.meeting(from, to)));
  }
  if (costs.straight_messages == 0.0) return costs;
  loads.settle_loads();
  costs.straight_byte_s = loads.fullest_byte_s();
  return costs;
}

bool goes_along_a_tree(NativeLibrary library, bool gathers, Rank ranks, std::uint64_t share_bytes) {
  if (library == NativeLibrary::mpich) return true;
  const OpenMpiShares shares = gathers ? openmpi_gather(ranks, share_bytes) : openmpi_scatter(ranks, share_bytes);
  return shares == OpenMpiShares::binomial;
}

double native_root_share_seconds(const NativeRootShareCosts& costs, std::uint64_t message_bytes) {
  const std::uint64_t ranks = costs.tree.blocks;
  if (ranks < 2) return 0.0;
  const std::uint64_t share = (message_bytes + ranks - 1) / ranks;
  if (goes_along_a_tree(costs.library, costs.gathers, static_cast<Rank>(ranks), share)) {
    return costs.tree.seconds(message_bytes, segment_sizes().back());
  }
  const HostCosts& hosts = costs.tree.hosts;
  const double links_s = costs.straight_byte_s * static_cast<double>(ranks * wire_bytes(share));
  return std::max({links_s, costs.straight_messages * hosts.handling_s(share),
                   hosts.together_s(costs.straight_messages, static_cast<double>(message_bytes))}) +
         hosts.trips(share) * costs.straight_latency_s;
}

}  // namespace trunkline
