// SPDX-License-Identifier: Apache-2.0
// What ports of switches hold.
#pragma once

#include <cstdint>

#include "model/transfer/wire.hpp"
#include "network/cluster.hpp"

namespace trunkline {

/// What a port of a shallow switch holds, where nothing is known of it: 64 full frames.
inline constexpr std::uint64_t usual_queue_bytes = 64 * frame_wire_bytes;

/// What a port of the shallowest switch holds; usual_queue_bytes of one of which the cluster file says nothing.
[[nodiscard]] std::uint64_t queue_bytes_of(const Cluster& cluster);

}  // namespace trunkline
