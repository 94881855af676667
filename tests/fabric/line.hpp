// SPDX-License-Identifier: Apache-2.0
// Small clusters for the fabric's tests, with times that can be worked out by hand.
#pragma once

#include <string>

#include "network/cluster.hpp"

namespace trunkline::fabric {

inline constexpr double byte_per_us = 8e6;  ///< bits per second at which a byte takes a microsecond

/// Switches s0 - s1 - ... with `hosts` hosts each: h0, h1, ... on s0, then those on s1, and so on.
inline Cluster line_of_switches(unsigned switches, unsigned hosts, double trunk_bps = byte_per_us,
                                double latency_s = 10e-6) {
  Cluster::Parts parts;
  parts.name = "line";
  for (unsigned s = 0; s < switches; ++s) {
    parts.nodes.push_back({.name = "s" + std::to_string(s), .kind = NodeKind::network_switch});
  }
  for (unsigned h = 0; h < switches * hosts; ++h) {
    parts.nodes.push_back({.name = "h" + std::to_string(h)});
    parts.links.push_back({.a = switches + h, .b = h / hosts, .rate_bps = byte_per_us, .latency_s = latency_s});
  }
  for (unsigned s = 1; s < switches; ++s) {
    parts.links.push_back({.a = s - 1, .b = s, .rate_bps = trunk_bps, .latency_s = latency_s});
  }
  return Cluster(std::move(parts));
}

}  // namespace trunkline::fabric
