// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/group_costs.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "model/transfer/wire.hpp"

namespace trunkline {

GroupCosts group_costs(const Placement& placement, double byte_s, const LongestWay& longest, const HostCosts& hosts) {
  GroupCosts costs{.hosts = hosts, .byte_s = byte_s, .ranks = static_cast<double>(placement.size())};
  std::map<HostIndex, double> ranks_of_host;
  for (const HostIndex host : placement) ++ranks_of_host[host];
  costs.hosts_used = static_cast<double>(ranks_of_host.size());
  for (const auto& [host, ranks] : ranks_of_host) costs.most_a_host = std::max(costs.most_a_host, ranks);
  // By recursive doubling, each round as long as the longest way.
  const auto rounds = static_cast<double>(std::bit_width(placement.size() - 1));
  const double message_s =
      hosts.send_s + hosts.receive_s + longest.latency_s + longest.byte_s * static_cast<double>(wire_bytes(0));
  costs.meeting_s = rounds * message_s + hosts.together_s(rounds * costs.ranks, 0.0);
  return costs;
}

double GroupCosts::hears_s(double datagrams, double bytes) const {
  return datagrams * (hosts.datagram_receive_s + (most_a_host - 1.0) * hosts.datagram_rank_s) +
         bytes * hosts.datagram_receive_byte_s;
}

bool GroupCosts::can_pay() const {
  return hosts.multicasts_may_pay(static_cast<std::size_t>(hosts_used), byte_s, most_a_host);
}

double GroupCosts::opening_s() const {
  constexpr double collectives = 6.0;
  constexpr double bytes_of_a_rank = 256.0;  // its networks and addresses, on the wire
  constexpr double probes_s = 0.01;
  return collectives * meeting_s + ranks * bytes_of_a_rank * byte_s + probes_s;
}

}  // namespace trunkline
