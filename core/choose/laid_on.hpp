// SPDX-License-Identifier: Apache-2.0
// What candidates are laid on, and what their plans take there, message by message.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "collective/collective.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/cluster.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "plan/costs.hpp"
#include "plan/plan.hpp"
#include "replay/replay.hpp"

namespace trunkline {

/// One communicator and root.
struct LaidOn {
  Collective collective;
  std::shared_ptr<const Paths> paths;
  Placement placement;
  Rank root;
  HostCosts hosts;
  Rank on_each_host = 0;   ///< ranks; 0: hosts differ
  bool has_sites = false;  ///< long links lie between ranks
};

/// Whether replays (core/replay) are known to be nearer to the truth than formulas: not over long links, nor where all
/// hosts share the processors of one machine, nor within one host.
[[nodiscard]] bool replays_are_true(const LaidOn& on);

/// Events, of which each takes some 150 ns of a processor: of all replays for a decision, and of one for somebody who
/// asks.
inline constexpr std::uint64_t most_events_to_decide = 20'000;
inline constexpr std::uint64_t most_events_to_tell = 1'000'000;

/// A replay of a plan. Nothing where none is known to be true, of multicasts, and where that takes more events.
[[nodiscard]] std::optional<Replayed> replayed_on(const LaidOn& on, const Plan& plan, std::uint64_t message_bytes,
                                                  std::uint64_t segment_bytes, std::uint64_t most_events);
/// The same of an algorithm's, which is laid for it.
[[nodiscard]] std::optional<Replayed> replayed_on(const LaidOn& on, std::string_view algorithm,
                                                  std::uint64_t message_bytes, std::uint64_t segment_bytes,
                                                  std::uint64_t most_events);

/// What a plan takes, for somebody who asks: by replays, else by its formula, which also says the segment. Throws
/// std::invalid_argument as costs_of() does.
[[nodiscard]] Costs told_costs(Cluster cluster, const Placement& placement, const Plan& plan, Collective collective,
                               const HostCosts& hosts);

}  // namespace trunkline
