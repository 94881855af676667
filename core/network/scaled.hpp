// SPDX-License-Identifier: Apache-2.0
// The same network at another speed.
#pragma once

#include "network/cluster.hpp"

namespace trunkline {

/// The cluster with its fastest link at `fastest_bps` bits per second and every other in proportion; latencies stay.
/// Throws std::invalid_argument where the rate is not positive.
[[nodiscard]] Cluster scaled(const Cluster& cluster, double fastest_bps);

}  // namespace trunkline
