// SPDX-License-Identifier: Apache-2.0
// What an algorithm takes whose plans depend on the size of the message.
#pragma once

#include <string_view>

#include "collective/collective.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/cluster.hpp"
#include "network/placement.hpp"
#include "plan/costs.hpp"

namespace trunkline {

/// Of one collective, on the same ranks, from one root.
struct CallsOf {
  Collective collective;
  Placement placement;
  Rank root;
};

/// Each message's costs are those of the plan that is laid for its size (laid_for()), when it is first asked for. To be
/// used by one thread at a time; `cluster` must outlive it.
[[nodiscard]] Costs costs_by_size(const Cluster& cluster, CallsOf calls, std::string_view algorithm,
                                  const HostCosts& hosts);

}  // namespace trunkline
