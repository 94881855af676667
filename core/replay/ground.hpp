// SPDX-License-Identifier: Apache-2.0
// What every replay of a plan takes.
#pragma once

#include <cstdint>

#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "plan/in_flight.hpp"

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

}  // namespace trunkline
