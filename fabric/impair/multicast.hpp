// SPDX-License-Identifier: Apache-2.0
// What switches read of a multicast frame: IPv4's group, and IGMP's messages (RFC 2236, RFC 3376).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network.hpp"

namespace trunkline::fabric {

/// That a host wants a group's frames, or no longer does.
struct Membership {
  std::uint32_t group = 0;
  bool joins = false;
};

struct Multicast {
  enum class Kind : std::uint8_t {
    flooded,  ///< goes to every port: broadcast, 224.0.0.x, whatever is not IPv4
    data,     ///< to a group
    report,   ///< IGMP: what a host has joined and left
    query     ///< IGMP: asks hosts for reports
  };

  Kind kind = Kind::flooded;
  std::uint32_t group = 0;
  std::vector<Membership> memberships{};
  NodeId asks = 0xFFFFFFFFU;  ///< the switch that sent a query
};

/// `bytes` begins with the offload header. What is cut short floods.
[[nodiscard]] Multicast read_multicast(std::span<const std::uint8_t> bytes);

/// A general query of version 3, behind an empty offload header: hosts answer within `answer_s` seconds.
[[nodiscard]] std::vector<std::uint8_t> general_query(double answer_s, double every_s);

}  // namespace trunkline::fabric
