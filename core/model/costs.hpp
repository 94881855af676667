// SPDX-License-Identifier: Apache-2.0
// What a plan costs, of whatever kind it is, from the cluster's stated rates: taken from the plan itself.
#pragma once

#include <cstdint>
#include <variant>

#include "model/round_cost.hpp"
#include "model/tree_costs.hpp"
#include "plan/plan.hpp"

namespace trunkline {

/// The time as a function of the segment.
using Costs = std::variant<TreeCosts, RoundCosts>;

/// Throws std::invalid_argument where the placement is of another number of ranks, or does not fit the cluster, and
/// for trees of a collective that they do not serve.
[[nodiscard]] Costs costs_of(const Cluster& cluster, const Placement& placement, const Plan& plan,
                             Collective collective = Collective::bcast, const HostCosts& hosts = usual_host_costs());

/// Of `message_bytes` in segments of `segment_bytes`, both above zero.
[[nodiscard]] double seconds_of(const Costs& costs, std::uint64_t message_bytes, std::uint64_t segment_bytes);

/// The one of segment_sizes() that seconds_of() finds fastest.
[[nodiscard]] std::uint64_t best_segment(const Costs& costs, std::uint64_t message_bytes);

/// The same with its seconds, where the cuts of the message have been taken.
[[nodiscard]] TimedSegment fastest_segment(const Costs& costs, std::uint64_t message_bytes, const Cuts& cuts);

}  // namespace trunkline
