// SPDX-License-Identifier: Apache-2.0
// What the registry's rows lay plans over.
#pragma once

#include <cstdint>
#include <string_view>

#include "collective/collective.hpp"
#include "network/cluster.hpp"
#include "network/placement.hpp"
#include "plan/plan.hpp"

namespace trunkline {

/// What a plan is laid over.
struct Ground {
  Collective collective;
  const Cluster* cluster;  ///< there is one where the algorithm needs it
  const Placement& placement;
  Rank root;
  std::uint64_t bytes;         ///< of the message, for rows whose plans depend on it
  unsigned k;                  ///< the row's
  unsigned lanes;              ///< the row's, too
  std::string_view generator;  ///< the row's: of rounds, or of weighted trees

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(placement.size()); }
};

/// Of a row of the registry.
using Factory = Plan (*)(const Ground&);

}  // namespace trunkline
