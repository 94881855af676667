// SPDX-License-Identifier: Apache-2.0
// A network of hosts as weights by size: latency, bandwidth and injection time, from which follows the weight of a
// message of any size.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weighted_graph/graph.hpp"

namespace trunkline {

/// What sending costs the sender: so much a message, and so much a byte.
struct Injection {
  double message_s = 0.0;
  double byte_s = 0.0;

  [[nodiscard]] constexpr double seconds(std::uint64_t bytes) const {
    return message_s + static_cast<double>(bytes) * byte_s;
  }
};

/// Throws std::invalid_argument that begins with `whose` where a number is negative or not finite.
void check_injection(const Injection& injection, const std::string& whose);

/// One way between two hosts. The other way is another one, or there is none.
struct WideEdge {
  Rank from = 0;
  Rank to = 0;
  double latency_s = 0.0;
  double bandwidth_Bps = 0.0;            ///< bytes a second; infinity: bytes take no time
  std::optional<Injection> injection{};  ///< of sends along this edge; else its sender's
};

/// What a message of `bytes` weighs on each edge: w = latency + bytes / bandwidth, less what of the bytes' time the
/// injection takes already, since a byte that is injected is on its way; Delta = the injection.
/// `injection` has one entry a host. Throws std::invalid_argument naming the edge or host where a latency or an
/// injection is negative or not finite, a bandwidth is not above zero, or as StoredGraph does.
[[nodiscard]] StoredGraph weigh(std::span<const Injection> injection, std::span<const WideEdge> edges,
                                std::uint64_t bytes);

}  // namespace trunkline
