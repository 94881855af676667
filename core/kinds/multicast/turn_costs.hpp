// SPDX-License-Identifier: Apache-2.0
// What an allgather by multicast costs, from the cluster's stated rates.
#pragma once

#include <cstdint>
#include <optional>

#include "kinds/multicast/multicast.hpp"
#include "model/transfer/host_costs.hpp"
#include "plan/costs.hpp"

namespace trunkline {

/// What does not depend on the message. Its segments do not matter: a segment is what one datagram carries.
///
/// With P blocks, of n datagrams with w bytes on the wire each, A ranks that may send at once, and the way of a
/// datagram to the rank that it comes to last (latencies, and itself on each link, since switches store frames):
///   seconds = the longest of: w of each rank of other hosts, at the pace, into the host that takes in most;
///             what a rank spends on n datagrams that it sends, and on (P - 1) n that come;
///             what all processors spend on P n datagrams for each receiver, where hosts share them;
///             P n / A datagrams, and a way between two of them: a rank waits for what was sent so many turns before
///           + the way of the last datagram, with what a sender and a receiver spend on it.
/// Blocks are taken to be alike. Nothing is lost and no rank is late. A datagram is taken to cost hosts what an MPI
/// message of its size does.
struct TurnCosts final : CostFunction {
  HostCosts hosts = usual_host_costs();
  double byte_s = 0.0;        ///< of the plan's pace and the slowest link on any way, the slower one
  double latency_s = 0.0;     ///< of the longest way between two ranks
  double frame_byte_s = 0.0;  ///< on that way: each byte of a frame that is stored
  double ranks = 0.0;
  double at_once = 1.0;
  double others = 0.0;  ///< most ranks of other hosts that any host hears

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  /// The longest that one datagram carries.
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override;
  [[nodiscard]] TimedSegment fastest_segment(std::uint64_t message_bytes, const Cuts& cuts) const override;
};

/// Time O(ranks * log(nodes)). Throws std::invalid_argument where the placement does not fit.
[[nodiscard]] TurnCosts turn_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                                   const HostCosts& hosts = usual_host_costs());

}  // namespace trunkline
