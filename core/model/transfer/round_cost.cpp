// SPDX-License-Identifier: Apache-2.0
#include "model/transfer/round_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "model/transfer/repeated_sum.hpp"
#include "model/transfer/wire.hpp"

namespace trunkline {
RoundCost& RoundCost::operator+=(const RoundCost& other) {
  shortest_hop_s = std::min(shortest_hop_s, other.shortest_hop_s);
  longest_hop_s = std::max(longest_hop_s, other.longest_hop_s);
  rounds += other.rounds;
  network_rounds += other.network_rounds;
  network_waits += other.network_waits;
  seconds_per_byte += other.seconds_per_byte;
  parts += other.parts;
  alone_byte_s += other.alone_byte_s;
  latency_s += other.latency_s;
  frame_byte_s += other.frame_byte_s;
  transfers += other.transfers;
  amounts += other.amounts;
  local_transfers += other.local_transfers;
  local_amounts += other.local_amounts;
  local_parts += other.local_parts;
  combined_parts += other.combined_parts;
  local_combined_parts += other.local_combined_parts;
  held.insert(held.end(), other.held.begin(), other.held.end());
  return *this;
}

std::uint64_t RoundCost::transfer_bytes(std::uint64_t message_bytes) const {
  const double part = rounds > 0.0 ? std::max(parts, local_parts) / rounds : 1.0;
  return std::max(static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(message_bytes))), std::uint64_t{1});
}

double RoundCost::held_s(std::uint64_t message_bytes) const {
  double sum_s = 0.0;
  for (const auto& [stream, times] : held) {
    sum_s += times * stream.more_seconds(stream.share * static_cast<double>(message_bytes));
  }
  return sum_s;
}

double RoundCost::streamed_s(std::uint64_t message_bytes) const {
  double most_s = 0.0;
  for (const auto& [stream, times] : held) {
    most_s = std::max(most_s, stream.seconds(times * stream.share * static_cast<double>(message_bytes)));
  }
  return most_s;
}

double RoundCost::links_s(std::uint64_t message_bytes, std::uint64_t transfer_bytes, const HostCosts& hosts) const {
  const bool waits = hosts.share_processors() && hosts.shares_wire && !hosts.is_eager(transfer_bytes);
  const double pieces = static_cast<double>(message_bytes) / static_cast<double>(transfer_bytes);
  return (waits ? announced : 1.0) * seconds_per_byte * pieces * static_cast<double>(wire_bytes(transfer_bytes));
}

double RoundCost::seconds(std::uint64_t message_bytes, std::uint64_t transfer_bytes, const HostCosts& hosts) const {
  const std::uint64_t transfer = std::min(transfer_bytes, message_bytes);
  const double pieces = static_cast<double>(message_bytes) / static_cast<double>(transfer);
  const auto wire = static_cast<double>(wire_bytes(transfer));
  const auto bytes = static_cast<double>(message_bytes);
  const double network_s = 2.0 * hosts.handling_s(transfer);
  // Of each round the last piece may be short.
  const double messages = network_rounds * std::ceil(parts * pieces / std::max(network_rounds, 1e-9) - 1e-9);
  const double further = std::max(parts * pieces - network_waits, 0.0);  // after the first that is waited for
  const double short_s = std::max(messages - std::max(parts * pieces, network_rounds), 0.0) * 2.0 * hosts.handling_s(0);
  const double all_hosts_s = hosts.together_s(std::max(transfers, amounts * pieces), amounts * bytes,
                                              std::max(local_transfers, local_amounts * pieces), local_amounts * bytes);
  // Within hosts: as many pieces, and their bytes.
  const double local_s = (rounds - network_rounds) * 2.0 * hosts.local_handling_s(0.0) +
                         std::max(local_parts * pieces - (rounds - network_rounds), 0.0) * hosts.local_handling_s(0.0) +
                         local_parts * bytes * (hosts.local_send_byte_s + hosts.local_receive_byte_s) +
                         local_combined_parts * bytes * hosts.combine_byte_s;
  // What came over the network is added up while the next piece is on its way.
  const double combined_s = combined_parts * bytes * hosts.combine_byte_s;
  const double first_combined_s =
      std::min(combined_s, network_waits * static_cast<double>(transfer) * hosts.combine_byte_s);
  // While a rank sends all that it may, the first that it is sent is on its way; what is announced first must be asked
  // for.
  const double way_s = latency_s * hosts.trips(transfer);
  const double hidden_s =
      hides_ways && hosts.is_eager(transfer) ? std::min(way_s, further * hosts.sending_s(transfer)) : 0.0;
  return std::max({all_hosts_s, streamed_s(message_bytes),
                   network_waits * network_s + first_combined_s + local_s + way_s + held_s(message_bytes) +
                       frame_byte_s * std::min(wire, static_cast<double>(frame_wire_bytes)) +
                       std::max(links_s(message_bytes, transfer, hosts),
                                further * network_s - hidden_s + short_s + combined_s - first_combined_s)});
}

double RoundCost::chained_seconds(std::uint64_t message_bytes, std::uint64_t transfer_bytes,
                                  const HostCosts& hosts) const {
  RoundCost alone = *this;
  alone.seconds_per_byte = alone_byte_s;
  const double alone_s = alone.seconds(message_bytes, transfer_bytes, hosts);
  const double all_s = links_s(message_bytes, std::min(transfer_bytes, message_bytes), hosts);
  const double first_waits_s = (1.0 - alone_byte_s / seconds_per_byte) * all_s / rounds;
  return std::max(alone_s + first_waits_s, all_s + alone_s / rounds);
}

double RoundCost::message_s(std::uint64_t transfer_bytes, const HostCosts& hosts) const {
  const double network = rounds > 0.0 ? network_rounds / rounds : 1.0;
  return 2.0 * (network * hosts.handling_s(transfer_bytes) +
                (1.0 - network) * hosts.local_handling_s(static_cast<double>(transfer_bytes)));
}

double RoundCost::together_s(std::uint64_t transfer_bytes, const HostCosts& hosts) const {
  const auto bytes = static_cast<double>(transfer_bytes);
  return hosts.together_s(transfers, transfers * bytes, local_transfers, local_transfers * bytes);
}

void TimedRound::transfer(Rank from, Rank to, double fraction, double combined, Rank times) {
  const HostIndex u = placement_[order_[from]];
  const HostIndex v = placement_[order_[to]];
  if (u == v) {
    local_transfers_ += times;
    add_times(local_amounts_, fraction, times);
    longest_local_ = std::max(longest_local_, fraction);
    most_local_combined_ = std::max(most_local_combined_, combined);
    return;
  }
  transfers_ += times;
  add_times(amounts_, fraction, times);
  most_combined_ = std::max(most_combined_, combined);
  const std::span<const NodeId> hosts = paths_.cluster().hosts();
  between_hosts(hosts[u], hosts[v], fraction, times);
}

void TimedRound::between_hosts(NodeId u, NodeId v, double fraction, Rank times) {
  const std::span<const PathLoads::Transfer> known = loads_.transfers();
  std::uint32_t& last = last_from_[u];
  all_alike_ = all_alike_ && (known.empty() || known.front().amount == fraction);
  const bool same = last != nowhere && known[last].to == v && known[last].amount == fraction;
  Rank further = times;
  if (!same || (!all_alike_ && last + 1 != known.size())) {
    last = static_cast<std::uint32_t>(known.size());
    loads_.add(u, v, fraction);
    --further;
  }
  if (further > 0) loads_.add_again(last, further);
  if (!sequence_.empty() && sequence_.back().place == last) {
    sequence_.back().times += times;
  } else {
    sequence_.push_back({last, times});
  }
}

TimedRound::Loads TimedRound::Loads::reduced(double reducing) const {
  Loads loads = *this;
  loads.most_combined = reducing * most_amount;
  loads.most_local_combined = reducing * longest_local;
  return loads;
}

TimedRound::Loads TimedRound::loads(bool alike, bool takes_every_hop) {
  loads_.settle_loads();
  Loads all;
  struct Delay {
    double latency_s;
    double frame_byte_s;
  };
  std::vector<Delay> delays;
  if (takes_every_hop) delays.reserve(loads_.transfers().size());
  for (const PathLoads::Transfer& transfer : loads_.transfers()) {
    const auto& [from, to, meeting, amount, times, length] = transfer;
    // A sender that is kept busy sends its next message later: it is as if the way were so much longer.
    const double latency_s = paths_.latency_s(from, to, meeting) + paths_.cluster().nodes()[from].injection_s;
    const double frame_byte_s = paths_.byte_s(from, to, meeting) - loads_.first_byte_s(transfer);
    all.most_amount = std::max(all.most_amount, amount);
    all.most_alone_byte_s = std::max(all.most_alone_byte_s, loads_.alone_byte_s(transfer));
    all.most_latency_s = std::max(all.most_latency_s, latency_s);
    all.shortest_latency_s = std::min(all.shortest_latency_s, latency_s);
    all.most_frame_byte_s = std::max(all.most_frame_byte_s, frame_byte_s);
    if (takes_every_hop) delays.push_back({latency_s, frame_byte_s});
    if (!paths_.any_tcp_window()) continue;
    if (auto stream = capped_stream(paths_, from, to)) {
      stream->share = amount;
      if (!all.slowest || all.slowest->share * all.slowest->byte_s < amount * stream->byte_s) all.slowest = stream;
    }
  }
  if (takes_every_hop) {
    for (const auto& [place, times] : sequence_) {
      add_times(all.mean_latency_s, delays[place].latency_s, times);
      add_times(all.mean_frame_byte_s, delays[place].frame_byte_s, times);
    }
    all.mean_latency_s /= static_cast<double>(order_.size());
    all.mean_frame_byte_s /= static_cast<double>(order_.size());
  }
  all.seconds_per_byte = slowest_byte_s(alike);
  all.most_combined = std::exchange(most_combined_, 0.0);
  all.most_local_combined = std::exchange(most_local_combined_, 0.0);
  all.longest_local = std::exchange(longest_local_, 0.0);
  all.transfers = std::exchange(transfers_, 0.0);
  all.amounts = std::exchange(amounts_, 0.0);
  all.local_transfers = std::exchange(local_transfers_, 0.0);
  all.local_amounts = std::exchange(local_amounts_, 0.0);
  for (const PathLoads::Transfer& transfer : loads_.transfers()) last_from_[transfer.from] = nowhere;
  sequence_.clear();
  all_alike_ = true;
  loads_.clear();
  return all;
}

void TimedRound::finish(RoundCost& cost, double times, bool takes_every_hop, bool follows) {
  add(cost, loads(times > 1.0, takes_every_hop), times, takes_every_hop, follows);
}

void TimedRound::add(RoundCost& cost, const Loads& loads, double times, bool takes_every_hop, bool follows) {
  if (loads.slowest) cost.held.push_back({*loads.slowest, times});
  const double all = loads.transfers + loads.local_transfers;
  const double any_network = loads.transfers > 0.0 ? 1.0 : 0.0;
  const double network = takes_every_hop && all > 0.0 ? loads.transfers / all : any_network;
  cost.shortest_hop_s = std::min(cost.shortest_hop_s, loads.local_transfers > 0.0 ? 0.0 : loads.shortest_latency_s);
  cost.longest_hop_s = std::max(cost.longest_hop_s, loads.most_latency_s);
  cost.rounds += times;
  cost.network_rounds += times * network;
  const double waits = follows ? 0.0 : times;
  const auto part = [&](double most, double share) { return times * (takes_every_hop ? share * most : most); };
  cost.combined_parts += part(loads.most_combined, network);
  cost.local_combined_parts += part(loads.most_local_combined, 1.0 - network);
  cost.network_waits += waits * network;
  cost.local_parts += part(loads.longest_local, 1.0 - network);
  cost.seconds_per_byte += times * loads.seconds_per_byte;
  cost.parts += times * loads.most_amount;
  cost.alone_byte_s += times * loads.most_alone_byte_s;
  // Of rounds that are on their way together the one that takes longest counts.
  if (!follows) longest_latency_s_ = 0.0;
  const double latency_s = takes_every_hop ? loads.mean_latency_s : loads.most_latency_s;
  cost.latency_s += times * std::max(latency_s - longest_latency_s_, 0.0);
  longest_latency_s_ = std::max(longest_latency_s_, latency_s);
  cost.frame_byte_s += waits * (takes_every_hop ? loads.mean_frame_byte_s : loads.most_frame_byte_s);
  cost.transfers += times * loads.transfers;
  cost.amounts += times * loads.amounts;
  cost.local_transfers += times * loads.local_transfers;
  cost.local_amounts += times * loads.local_amounts;
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
