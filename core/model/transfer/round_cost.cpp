// SPDX-License-Identifier: Apache-2.0
#include "model/transfer/round_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "model/transfer/wire.hpp"

namespace trunkline {

RoundCost& RoundCost::operator+=(const RoundCost& other) {
  rounds += other.rounds;
  seconds_per_byte += other.seconds_per_byte;
  parts += other.parts;
  alone_byte_s += other.alone_byte_s;
  latency_s += other.latency_s;
  frame_byte_s += other.frame_byte_s;
  transfers += other.transfers;
  amounts += other.amounts;
  return *this;
}

std::uint64_t RoundCost::transfer_bytes(std::uint64_t message_bytes) const {
  const double part = rounds > 0.0 ? parts / rounds : 1.0;
  return std::max(static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(message_bytes))), std::uint64_t{1});
}

double RoundCost::seconds(std::uint64_t message_bytes, std::uint64_t transfer_bytes, const HostCosts& hosts) const {
  const std::uint64_t transfer = std::min(transfer_bytes, message_bytes);
  const double pieces = static_cast<double>(message_bytes) / static_cast<double>(transfer);
  const auto wire = static_cast<double>(wire_bytes(transfer));
  const double message_s = 2.0 * hosts.handling_s(transfer);
  const double further = std::max(parts * pieces - rounds, 0.0);  // after the first of each round
  const double all_hosts_s =
      hosts.together_s(std::max(transfers, amounts * pieces), amounts * static_cast<double>(message_bytes));
  return std::max(all_hosts_s, rounds * message_s + latency_s * hosts.trips(transfer) +
                                   frame_byte_s * std::min(wire, static_cast<double>(frame_wire_bytes)) +
                                   std::max(seconds_per_byte * pieces * wire, further * message_s));
}

void TimedRound::transfer(Rank from, Rank to, double fraction) {
  const HostIndex u = placement_[order_[from]];
  const HostIndex v = placement_[order_[to]];
  transfers_ += 1.0;
  amounts_ += fraction;
  const std::span<const NodeId> hosts = paths_.cluster().hosts();
  if (u != v) loads_.add(hosts[u], hosts[v], fraction);
}

void TimedRound::finish(RoundCost& cost, double times, bool takes_every_hop) {
  loads_.settle_loads();
  double most_amount = 0.0;
  double most_alone_byte_s = 0.0;
  double most_latency_s = 0.0;
  double most_frame_byte_s = 0.0;
  double latencies_s = 0.0;
  double frame_bytes_s = 0.0;
  for (const PathLoads::Transfer& transfer : loads_.transfers()) {
    const auto& [from, to, meeting, amount] = transfer;
    // A sender that is kept busy sends its next message later: it is as if the way were so much longer.
    const double latency_s = paths_.latency_s(from, to, meeting) + paths_.cluster().nodes()[from].injection_s;
    const double frame_byte_s = paths_.byte_s(from, to, meeting) - loads_.first_byte_s(transfer);
    most_amount = std::max(most_amount, amount);
    most_alone_byte_s = std::max(most_alone_byte_s, loads_.alone_byte_s(transfer));
    most_latency_s = std::max(most_latency_s, latency_s);
    most_frame_byte_s = std::max(most_frame_byte_s, frame_byte_s);
    latencies_s += latency_s;
    frame_bytes_s += frame_byte_s;
  }
  const double hops = static_cast<double>(order_.size());
  cost.rounds += times;
  cost.seconds_per_byte += times * slowest_byte_s(times > 1.0);
  cost.parts += times * most_amount;
  cost.alone_byte_s += times * most_alone_byte_s;
  cost.latency_s += times * (takes_every_hop ? latencies_s / hops : most_latency_s);
  cost.frame_byte_s += times * (takes_every_hop ? frame_bytes_s / hops : most_frame_byte_s);
  cost.transfers += times * std::exchange(transfers_, 0.0);
  cost.amounts += times * std::exchange(amounts_, 0.0);
  loads_.clear();
}

/// Where rounds are all alike, the fullest of links side by side is the same in each. Else it is another in each
/// round, and who has less to wait for goes on: the time is between those of an even hash, as if rounds overlapped
/// wholly, and of the fullest link, as if they did not at all. The middle is within 10 % of
/// simulations of 1 MiB and more (docs/results/model.md).
double TimedRound::slowest_byte_s(bool alike) const {
  const double fullest_s = loads_.fullest_byte_s();
  return alike ? fullest_s : std::midpoint(loads_.slowest_byte_s(), fullest_s);
}

}  // namespace trunkline
