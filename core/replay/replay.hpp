// SPDX-License-Identifier: Apache-2.0
// How long a plan takes: its messages go their ways in virtual time, in the order in which the executors hand them over
// (runtime/execute). A pipeline is cut once it is filled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "collective/collective.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "plan/plan.hpp"

namespace trunkline {

struct Replayed {
  double seconds = 0.0;
  std::uint64_t events = 0;  ///< that this took, for what it costs to know
};

/// Of a plan of trees or of rounds that has passed its check. `message_bytes` and `segment_bytes` are above zero; of
/// shares, the message is all of them. Memory O(ranks + messages under way), time O(log) of that for each event. Throws
/// std::invalid_argument where the placement is of another number of ranks or does not fit the cluster, and for a plan
/// of another kind; std::logic_error where ranks wait for each other for ever.
[[nodiscard]] Replayed replayed(const Paths& paths, const Placement& placement, const Plan& plan, Collective collective,
                                const HostCosts& hosts, std::uint64_t message_bytes, std::uint64_t segment_bytes);

/// No replay takes fewer events.
[[nodiscard]] constexpr std::uint64_t least_events(std::size_t ranks) { return 4 * (ranks - 1); }

/// The same. Nothing for a plan of another kind, and where it would take more than `most_events`.
[[nodiscard]] std::optional<Replayed> replayed_within(std::uint64_t most_events, const Paths& paths,
                                                      const Placement& placement, const Plan& plan,
                                                      Collective collective, const HostCosts& hosts,
                                                      std::uint64_t message_bytes, std::uint64_t segment_bytes);

}  // namespace trunkline
