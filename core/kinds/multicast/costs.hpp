// SPDX-License-Identifier: Apache-2.0
// What a broadcast by multicast costs, from the cluster's stated rates.
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
/// With n datagrams, w bytes of them on the wire, and one datagram the longest of them:
///   seconds = the longest of: w at the pace, and what the root and a receiving host spend on one datagram; the same
///             with what all processors spend on all but the first for each receiver, where hosts share them; what the
///             root spends on n datagrams, and a receiving host on one; what a receiving host spends on n, with all its
///             ranks, and the root on one
///           + the longest way of one datagram: latencies, and itself on each link but the slowest, since switches
///             store frames; where hosts share processors, with the receivers that are woken after it
///           + a call's part of a meeting of all ranks
///           + of a message that is not eager, the way up the confirm tree, by messages without data, of which a rank
///             takes one of each child: that all are done.
/// Nothing is lost and no rank is late; reports while data flow are not counted.
struct MulticastCosts final : CostFunction {
  /// To receivers that a full frame takes as long to.
  struct Way {
    double latency_s = 0.0;
    double frame_byte_s = 0.0;  ///< each byte of a frame that is stored
    double receivers = 0.0;     ///< these, and all that it takes longer to
  };

  GroupCosts group{};
  std::vector<Way> ways{};  ///< by what a full frame takes, ascending
  double meets_s = 0.0;     ///< a call's part of a meeting
  double back_s = 0.0;      ///< up the confirm tree

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  /// Until all have so many bytes that lie before the sender, above none.
  [[nodiscard]] double spread_s(std::uint64_t bytes) const;
  /// What a call with a message of so many bytes takes besides.
  [[nodiscard]] double besides_s(std::uint64_t message_bytes) const;
  /// Of all processors, where hosts share them.
  [[nodiscard]] double together_s(std::uint64_t bytes) const;
  /// The longest that one datagram carries.
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override;
  [[nodiscard]] std::optional<Rank> network_transfers() const override { return group.hosts_used > 1.0 ? 1 : 0; }
  [[nodiscard]] bool can_pay() const override { return group.can_pay(); }
  [[nodiscard]] double opening_s() const override { return group.opening_s(); }
};

/// Time O(ranks * log(nodes)). Throws std::invalid_argument where the placement does not fit.
[[nodiscard]] MulticastCosts multicast_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                                             const HostCosts& hosts = usual_host_costs());

}  // namespace trunkline
