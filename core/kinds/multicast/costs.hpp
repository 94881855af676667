// SPDX-License-Identifier: Apache-2.0
// What collectives by multicast in one group cost, from the cluster's stated rates.
#pragma once

#include <cstdint>
#include <vector>

#include "kinds/multicast/multicast.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/placement.hpp"
#include "plan/costs.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {

/// Where hosts share processors: a message costs them three times what plain sockets do, and a datagram goes through
/// plain sockets (docs/results/message-cost.md).
inline constexpr double datagrams_of_a_message = 3.0;
/// A rank that sleeps until a datagram comes takes as much of them as so many messages. On the lab 8 bytes took 50 us
/// more for each receiver, where a message took 15 us (docs/results/multicast.md).
inline constexpr double messages_of_a_wake = 3.5;

struct GroupCosts {
  HostCosts hosts = usual_host_costs();
  double byte_s = 0.0;  ///< of the plan's pace and the slowest link on any way, the slower one
  double ranks = 0.0;
  double hosts_used = 0.0;
  double most_a_host = 0.0;  ///< of the ranks
  double meeting_s = 0.0;    ///< a small allreduce of the library's own

  /// What a host spends on sending so many datagrams, with so many bytes in all.
  [[nodiscard]] double sends_s(double datagrams, double bytes) const {
    return datagrams * hosts.datagram_send_s + bytes * hosts.datagram_send_byte_s;
  }
  /// What any host spends on so many datagrams of others, with so many bytes in all, which all its ranks hear.
  [[nodiscard]] double hears_s(double datagrams, double bytes) const;
  [[nodiscard]] bool can_pay() const;
  /// What all say by MPI, and the probes.
  [[nodiscard]] double opening_s() const;
};

/// Of datagrams from one host to another.
struct DatagramWay {
  double latency_s = 0.0;
  double frame_byte_s = 0.0;  ///< each byte of a frame that is stored
  double ranks = 0.0;         ///< that use such a way, and all ways that take longer

  [[nodiscard]] double seconds(double frame_bytes) const { return latency_s + frame_byte_s * frame_bytes; }
};

/// Of no ranks. From a host to itself it takes no time.
[[nodiscard]] DatagramWay way_between(const Paths& paths, NodeId from, NodeId to);

/// Of ranks at that pace; on the longest way between them each byte takes `way_byte_s`. Time O(ranks).
[[nodiscard]] GroupCosts group_costs(const Placement& placement, double byte_s, double latency_s, double way_byte_s,
                                     const HostCosts& hosts);

/// Of a broadcast: what does not depend on the message. Its segments do not matter: a segment is what one datagram
/// carries.
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
  GroupCosts group{};
  std::vector<DatagramWay> ways{};  ///< to receivers, by what a full frame takes, ascending
  double meets_s = 0.0;             ///< a call's part of a meeting
  double back_s = 0.0;              ///< up the confirm tree

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  /// Until all have so many bytes that lie before the sender, above none.
  [[nodiscard]] double spread_s(std::uint64_t bytes) const;
  /// What a call with a message of so many bytes takes besides.
  [[nodiscard]] double besides_s(std::uint64_t message_bytes) const;
  /// Of all processors, where hosts share them.
  [[nodiscard]] double together_s(std::uint64_t bytes) const;
  /// The longest that one datagram carries.
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override;
  [[nodiscard]] bool can_pay() const override { return group.can_pay(); }
  [[nodiscard]] double opening_s() const override { return group.opening_s(); }
};

/// Time O(ranks * log(nodes)). Throws std::invalid_argument where the placement does not fit.
[[nodiscard]] MulticastCosts multicast_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                                             const HostCosts& hosts = usual_host_costs());

/// Of an allgather: what does not depend on the message. Its segments do not matter: a segment is what one datagram
/// carries.
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
  GroupCosts group{};
  /// By what a full frame takes, ascending, with the most ranks that any host hears from so far away, or further; none
  /// where all ranks are on one host.
  std::vector<DatagramWay> ways{};
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

/// A reduction whose result is multicast. Of one that is short enough for a root that leaves, whose packets follow the
/// operands:
///   seconds = the longer of: operands up the trees; the datagrams at the pace
///           + the way of the last datagram, with what a sender and a receiver spend on it.
/// A longer one comes down the trees that operands go up, as in a plan of trees.
struct ResultCosts final : CostFunction {
  TreeCosts up{};           ///< operands alone
  TreeCosts up_and_down{};  ///< of a longer message
  MulticastCosts down{};

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override;
  [[nodiscard]] TimedSegment fastest_segment(std::uint64_t message_bytes, const Cuts& cuts) const override;
  [[nodiscard]] bool can_pay() const override { return down.can_pay(); }
  [[nodiscard]] double opening_s() const override { return down.opening_s(); }
};

/// Throws std::invalid_argument where the placement does not fit.
[[nodiscard]] ResultCosts result_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                                       const HostCosts& hosts = usual_host_costs());

}  // namespace trunkline
