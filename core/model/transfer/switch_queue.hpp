// SPDX-License-Identifier: Apache-2.0
// What ports of switches hold.
#pragma once

#include <cstdint>

#include "model/transfer/wire.hpp"
#include "network/cluster.hpp"

namespace trunkline {

/// What a port of a shallow switch holds, where nothing is known of it: 64 full frames, and at more than 1 Gbit/s what
/// takes as long to go on as those do there. Chips for faster links have more memory, which ports share by thresholds
/// that leave a full one most of what is free (Choudhury, Hahne 1998).
inline constexpr std::uint64_t usual_queue_bytes = 64 * frame_wire_bytes;
inline constexpr double usual_queue_bps = 1e9;

/// What a port of the shallowest switch holds; what is usual of one of which the cluster file says nothing, at the rate
/// of its fastest link.
[[nodiscard]] std::uint64_t queue_bytes_of(const Cluster& cluster);

/// Whether the cluster file says it of all switches.
[[nodiscard]] bool knows_queues(const Cluster& cluster);

}  // namespace trunkline
