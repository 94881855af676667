// SPDX-License-Identifier: Apache-2.0
// What an allgather by multicast costs, from the cluster's stated rates.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kinds/multicast/group_costs.hpp"
#include "kinds/multicast/multicast.hpp"
#include "model/transfer/host_costs.hpp"
#include "plan/costs.hpp"

namespace trunkline {

/// What does not depend on the message. Its segments do not matter: a segment is what one datagram carries.
///
/// With P blocks, of n datagrams with w bytes on the wire each, in n / k pieces of k datagrams, and A ranks that may
/// send at once. The way of a datagram is latencies, and itself on each link but the slowest, since switches store
/// frames; but for the pace of hosts, with what one spends on sending it, and another one on hearing it.
///   seconds = the longer of:
///             what keeps a host busy: w at the pace of each rank that is at least so far away, and that way before,
///             for each way, since others' datagrams are under way meanwhile; or what a rank spends on n datagrams that
///             it sends, and a host on (P - 1) n that come; or what all processors spend on P n datagrams for each
///             receiver, where hosts share them; where there are several pieces, with the way to the nearest host once
///             more: who waits for the first pieces of all may not send a second one;
///           and P n / (k A) pieces, and the longest way behind each: a rank waits for what was sent so many turns
///           before.
/// Blocks are taken to be alike. Nothing is lost and no rank is late.
struct TurnCosts final : CostFunction {
  struct Way {
    double latency_s = 0.0;
    double frame_byte_s = 0.0;  ///< each byte of a frame that is stored
    double ranks = 0.0;         ///< most that any host hears from as far away as that, or further
  };

  GroupCosts group{};
  std::vector<Way> ways{};  ///< by what a full frame takes, ascending; none where all ranks are on one host
  double at_once = 1.0;

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  /// The longest that one datagram carries.
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override;
  [[nodiscard]] bool can_pay() const override { return group.can_pay(); }
  [[nodiscard]] double opening_s() const override { return group.opening_s(); }
};

/// Time O(ranks * log(nodes)). Throws std::invalid_argument where the placement does not fit.
[[nodiscard]] TurnCosts turn_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                                   const HostCosts& hosts = usual_host_costs());

}  // namespace trunkline
