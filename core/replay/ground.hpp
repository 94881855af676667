// SPDX-License-Identifier: Apache-2.0
// What every replay of a plan takes, and the replays.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collective/collective.hpp"
#include "kinds/rounds/rounds.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "patterns/tree.hpp"
#include "plan/in_flight.hpp"
#include "plan/tree_shape.hpp"
#include "replay/replay.hpp"

namespace trunkline {

/// All must outlive a replay.
struct ReplayGround {
  const Paths& paths;
  const Placement& placement;
  const HostCosts& hosts;
  InFlight in_flight;
  std::uint64_t message_bytes;
  std::uint64_t segment_bytes;  ///< no longer than the message
};

/// Segments that go down trees, or operands that go up. Nothing where that takes more events; the same below.
[[nodiscard]] std::optional<Replayed> replayed_trees(const ReplayGround& ground, const std::vector<TreeShape>& trees,
                                                     Direction direction, std::uint64_t most_events);
/// Shares of all ranks along one tree.
[[nodiscard]] std::optional<Replayed> replayed_gather(const ReplayGround& ground, const Tree& tree,
                                                      std::uint64_t most_events);
/// Blocks that ranks send each other in rounds.
[[nodiscard]] std::optional<Replayed> replayed_rounds(const ReplayGround& ground, const Rounds& rounds,
                                                      const CollectiveFacts& facts, std::uint64_t most_events);

}  // namespace trunkline
