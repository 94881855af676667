// SPDX-License-Identifier: Apache-2.0
// What a reduction in groups costs whose result is multicast in each, from the cluster's stated rates.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kinds/multicast/grouped_costs.hpp"
#include "kinds/multicast/multicast.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {

/// One after another: operands up the confirm tree to those that send, the slowest group; among these up and down, or
/// over to the other one and down; the result in the slowest group, as any message there.
struct GroupedResultCosts final : CostFunction {
  std::vector<TreeCosts> up{};         ///< of each group of several ranks
  std::optional<TreeCosts> between{};  ///< of those that send; none: there is one
  GroupedCosts down{};                 ///< what its groups take within

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  [[nodiscard]] std::optional<Rank> network_transfers() const override { return down.network_transfers(); }
  [[nodiscard]] bool can_pay() const override { return down.can_pay(); }
  [[nodiscard]] double opening_s() const override { return down.opening_s(); }
};

/// Throws std::invalid_argument where the placement does not fit.
[[nodiscard]] GroupedResultCosts grouped_result_costs(const Paths& paths, const Placement& placement,
                                                      const Multicast& multicast,
                                                      const HostCosts& hosts = usual_host_costs());

}  // namespace trunkline
