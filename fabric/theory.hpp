// SPDX-License-Identifier: Apache-2.0
// What plain TCP over the cluster must take: the yardstick of the lab's check. From the cluster's rates and latencies
// alone, with frames of an MTU of 1500; no software cost is in it.
#pragma once

#include <cstdint>
#include <span>

#include "network.hpp"

namespace trunkline::fabric {

/// Seconds until the last byte of `bytes`, written at once, is at the other host.
[[nodiscard]] double one_way_s(const Network& network, HostIndex from, HostIndex to, std::uint64_t bytes);

/// Seconds until `bytes` have gone down the line of hosts, cut into segments that each host passes on when it has all
/// of one. Every host acknowledges each segment in one frame, which shares the channels with the data:
/// the first segment's way through all hosts, then a segment more in each period of the busiest channel.
[[nodiscard]] double relay_s(const Network& network, std::span<const HostIndex> line, std::uint64_t bytes,
                             std::uint64_t segment);

}  // namespace trunkline::fabric
