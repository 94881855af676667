// SPDX-License-Identifier: Apache-2.0
// What a broadcast by multicast costs, from the cluster's stated rates.
#pragma once

#include <cstdint>
#include <optional>

#include "kinds/multicast/multicast.hpp"
#include "model/transfer/host_costs.hpp"
#include "plan/costs.hpp"

namespace trunkline {

/// What does not depend on the message. Its segments do not matter: a segment is what one datagram carries.
///
/// With n datagrams, w bytes of them on the wire, and one datagram the longest of them:
///   seconds = the longest of: w at the pace; what the root spends on n datagrams; what a receiver spends on them;
///             what all processors spend on n datagrams for each receiver, where hosts share them
///           + the longest way of one datagram: latencies, and itself on each link but the slowest, since switches
///             store frames
///           + what a sender and a receiver spend on one datagram
///           + the longest way up the confirm tree, by messages without data: that all are done.
/// Nothing is lost and no rank is late; reports while data flow are not counted. A datagram is taken to cost hosts what
/// an MPI message of its size does.
struct MulticastCosts final : CostFunction {
  HostCosts hosts = usual_host_costs();
  double byte_s = 0.0;        ///< of the plan's pace and the slowest link on any way, the slower one
  double latency_s = 0.0;     ///< of the rank that a full frame comes to last
  double frame_byte_s = 0.0;  ///< on that way: each byte of a frame that is stored
  double receivers = 0.0;
  double back_s = 0.0;  ///< up the confirm tree
  bool uses_network = false;

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  /// The longest that one datagram carries.
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override;
  [[nodiscard]] TimedSegment fastest_segment(std::uint64_t message_bytes, const Cuts& cuts) const override;
  [[nodiscard]] std::optional<Rank> network_transfers() const override { return uses_network ? 1 : 0; }
};

/// Time O(ranks * log(nodes)). Throws std::invalid_argument where the placement does not fit.
[[nodiscard]] MulticastCosts multicast_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                                             const HostCosts& hosts = usual_host_costs());

}  // namespace trunkline
