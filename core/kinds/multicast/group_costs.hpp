// SPDX-License-Identifier: Apache-2.0
// What the ranks of a multicast group cost each other, whoever sends.
#pragma once

#include "model/transfer/host_costs.hpp"
#include "network/placement.hpp"

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

/// The way that a full frame takes longest.
struct LongestWay {
  double latency_s = 0.0;
  double byte_s = 0.0;  ///< on all its links together
};

/// Of ranks at that pace. Time O(ranks).
[[nodiscard]] GroupCosts group_costs(const Placement& placement, double byte_s, const LongestWay& longest,
                                     const HostCosts& hosts);

}  // namespace trunkline
