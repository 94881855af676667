// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_times.hpp"

#include "model/native/native_by_hosts.hpp"
#include "model/native/native_reduction.hpp"
#include "model/native/native_shares.hpp"

namespace trunkline {
namespace {

/// Among all ranks alike.
std::unique_ptr<const NativeTimes> flat_times(const Paths& paths, const Placement& placement, Collective collective,
                                              Rank root, NativeLibrary library, const HostCosts& hosts) {
  const CollectiveFacts& facts = facts_of(collective);
  switch (facts.native) {
    case RunLike::bcast:
      break;
    case RunLike::reduction: {
      const Collective like = facts.has_root ? Collective::reduce : Collective::allreduce;
      return std::make_unique<NativeTimesOf<NativeReductionCosts, native_reduction_seconds>>(
          native_reduction_costs(paths, placement, like, root, library, hosts));
    }
    case RunLike::shares:
      return std::make_unique<NativeTimesOf<NativeShareCosts, native_share_seconds>>(
          native_share_costs(paths, placement, collective, library, hosts));
  }
  return std::make_unique<NativeBcastTimes>(native_costs(paths, placement, root, library, hosts));
}

}  // namespace

std::unique_ptr<const NativeTimes> native_times(const Paths& paths, const Placement& placement, Collective collective,
                                                Rank root, NativeLibrary library, const HostCosts& hosts) {
  std::unique_ptr<const NativeTimes> flat = flat_times(paths, placement, collective, root, library, hosts);
  if (library == NativeLibrary::openmpi) return flat;
  std::unique_ptr<const NativeTimes> by_hosts = native_by_hosts(paths, placement, collective, root, hosts, flat);
  return by_hosts != nullptr ? std::move(by_hosts) : std::move(flat);
}

}  // namespace trunkline
