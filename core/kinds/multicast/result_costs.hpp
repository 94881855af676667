// SPDX-License-Identifier: Apache-2.0
// What a reduction costs whose result is multicast, from the cluster's stated rates.
#pragma once

#include <cstdint>

#include "kinds/multicast/costs.hpp"
#include "kinds/multicast/multicast.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {

/// Of a result that is short enough for a root that leaves, whose packets follow the operands:
///   seconds = the longer of: operands up the trees; the datagrams at the pace
///           + the way of the last datagram, with what a sender and a receiver spend on it.
/// A longer one comes down the trees that operands go up, as in a plan of trees.
struct ResultCosts final : CostFunction {
  TreeCosts up{};           ///< operands alone
  TreeCosts up_and_down{};  ///< of a longer message
  MulticastCosts down{};

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override;
  [[nodiscard]] TimedSegment fastest_segment(std::uint64_t message_bytes, const Cuts& cuts) const override;
  [[nodiscard]] std::optional<Rank> network_transfers() const override { return up.network_transfers(); }
  [[nodiscard]] bool can_pay() const override { return down.can_pay(); }
  [[nodiscard]] double opening_s() const override { return down.opening_s(); }
};

/// Throws std::invalid_argument where the placement does not fit.
[[nodiscard]] ResultCosts result_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                                       const HostCosts& hosts = usual_host_costs());

}  // namespace trunkline
