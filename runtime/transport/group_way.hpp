// SPDX-License-Identifier: Apache-2.0
// How the datagrams of a group reach all: docs/multicast.md, "The group".
#pragma once

#include <cstdint>

namespace trunkline::runtime {

/// By multicast over the first network that all hosts share, by multicast over an IPv6 network, or by broadcasts to an
/// IPv4 network.
enum class GroupWay : std::uint8_t { usual, ipv6, broadcast };

}  // namespace trunkline::runtime
