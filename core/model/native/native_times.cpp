// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_times.hpp"

#include "model/native/native_barrier.hpp"
#include "model/native/native_by_hosts.hpp"
#include "model/native/native_pairs.hpp"
#include "model/native/native_reduction.hpp"
#include "model/native/native_root_shares.hpp"
#include "model/native/native_shares.hpp"

namespace trunkline {
namespace {

/// Of one collective, from one root.
struct Asked {
  const Paths& paths;
  Placement placement;
  Collective collective;
  Rank root;
  NativeLibrary library;
  HostCosts hosts;

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(placement.size()); }
};
using Call = std::shared_ptr<const Asked>;

std::uint32_t selected_bcast(const Asked& call, std::uint64_t bytes) {
  return call.library == NativeLibrary::openmpi ? static_cast<std::uint32_t>(openmpi_bcast(call.ranks(), bytes))
                                                : static_cast<std::uint32_t>(mpich_bcast(call.ranks(), bytes));
}

std::unique_ptr<const NativeTimes> bcast_times(const Call& call) {
  return std::make_unique<NativeTimesOf<NativeCosts, native_bcast_seconds>>(
      [call](std::uint64_t bytes) { return selected_bcast(*call, bytes); },
      [call](std::uint64_t bytes) {
        return native_costs(call->paths, call->placement, call->root, call->library, call->hosts, bytes);
      });
}

std::unique_ptr<const NativeTimes> reduction_times(const Call& call) {
  const Collective like = facts_of(call->collective).has_root ? Collective::reduce : Collective::allreduce;
  const auto selects = [call, like](std::uint64_t bytes) {
    const NativeReduction all = native_reduction(call->library, like, call->ranks(), bytes);
    if (all != NativeReduction::reduce_and_bcast) return static_cast<std::uint32_t>(all);
    const NativeReduction up = native_reduction(call->library, Collective::reduce, call->ranks(), bytes);
    constexpr unsigned bits = 8;
    return static_cast<std::uint32_t>(all) | static_cast<std::uint32_t>(up) << bits |
           selected_bcast(*call, bytes) << 2 * bits;
  };
  const auto lays = [call, like](std::uint64_t bytes) {
    return native_reduction_costs(call->paths, call->placement, like, call->root, call->library, call->hosts, bytes);
  };
  return std::make_unique<NativeTimesOf<NativeReductionCosts, native_reduction_seconds>>(selects, lays);
}

std::unique_ptr<const NativeTimes> share_times(const Call& call) {
  const auto selects = [call](std::uint64_t bytes) {
    return (mpich_scatters_pairwise(bytes) ? 1U : 0U) | (mpich_gathers_round_a_ring(call->ranks(), bytes) ? 2U : 0U);
  };
  const auto lays = [call](std::uint64_t bytes) {
    return native_share_costs(call->paths, call->placement, call->collective, call->library, call->hosts, bytes);
  };
  return std::make_unique<NativeTimesOf<NativeShareCosts, native_share_seconds>>(selects, lays);
}

std::unique_ptr<const NativeTimes> barrier_times(const Call& call) {
  return std::make_unique<NativeTimesOf<NativeBarrierCosts, native_barrier_seconds>>(
      [](std::uint64_t /*bytes*/) { return 0U; },
      [call](std::uint64_t /*bytes*/) {
        return native_barrier_costs(call->paths, call->placement, call->library, call->hosts);
      });
}

std::unique_ptr<const NativeTimes> pair_times(const Call& call) {
  return std::make_unique<NativeTimesOf<NativePairCosts, native_pair_seconds>>(
      [](std::uint64_t /*bytes*/) { return 0U; },
      [call](std::uint64_t /*bytes*/) {
        return native_pair_costs(call->paths, call->placement, call->library, call->hosts);
      });
}

std::unique_ptr<const NativeTimes> root_share_times(const Call& call) {
  return std::make_unique<NativeTimesOf<NativeRootShareCosts, native_root_share_seconds>>(
      [](std::uint64_t /*bytes*/) { return 0U; },
      [call](std::uint64_t /*bytes*/) {
        return native_root_share_costs(call->paths, call->placement, call->collective, call->root, call->library,
                                       call->hosts);
      });
}

/// Among all ranks alike.
std::unique_ptr<const NativeTimes> flat_times(const Call& call) {
  if (!facts_of(call->collective).has_data) return barrier_times(call);
  switch (facts_of(call->collective).native) {
    case RunLike::bcast:
      break;
    case RunLike::reduction:
      return reduction_times(call);
    case RunLike::shares:
      return share_times(call);
    case RunLike::pairs:
      return pair_times(call);
    case RunLike::root_shares:
      return root_share_times(call);
  }
  return bcast_times(call);
}

}  // namespace

std::unique_ptr<const NativeTimes> native_times(const Paths& paths, const Placement& placement, Collective collective,
                                                Rank root, NativeLibrary library, const HostCosts& hosts) {
  std::unique_ptr<const NativeTimes> flat =
      flat_times(std::make_shared<const Asked>(Asked{paths, placement, collective, root, library, hosts}));
  if (library == NativeLibrary::openmpi) return flat;
  std::unique_ptr<const NativeTimes> by_hosts = native_by_hosts(paths, placement, collective, root, hosts, flat);
  return by_hosts != nullptr ? std::move(by_hosts) : std::move(flat);
}

}  // namespace trunkline
