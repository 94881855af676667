// SPDX-License-Identifier: Apache-2.0
#include "kinds/rounds/costs.hpp"

#include <algorithm>
#include <span>

#include "model/transfer/segments.hpp"
#include "model/transfer/wire.hpp"
#include "plan/in_flight.hpp"

namespace trunkline {
namespace {

/// What all ranks together spend on one transfer each: of a round.
double together_seconds(const RoundCosts& costs, std::uint64_t bytes) {
  return costs.rounds.together_s(bytes, costs.hosts) / costs.rounds.rounds;
}

/// Of rounds that relay: the links are busy all the time where a block has enough pieces; else each piece waits for the
/// one before it to come.
double relay_seconds(const RoundCosts& costs, std::uint64_t message_bytes, std::uint64_t piece_bytes) {
  const RoundCost& all = costs.rounds;
  const auto pieces = static_cast<double>(pieces_of(pieces_of(message_bytes, costs.blocks), piece_bytes));
  const auto wire = static_cast<double>(wire_bytes(piece_bytes));
  const double on_wire_s = all.seconds_per_byte / all.rounds * static_cast<double>(costs.blocks) * wire;
  const double combined_parts = (all.combined_parts + all.local_combined_parts) / all.rounds;
  const double combine_s = combined_parts * static_cast<double>(costs.blocks) * static_cast<double>(piece_bytes) *
                           costs.hosts.combine_byte_s;
  const double message_s = all.message_s(piece_bytes, costs.hosts) + combine_s;
  // Who sends to another host is busier than who only hands on within its own.
  const bool mixed = all.network_rounds > 0.0 && all.network_rounds < all.rounds;
  const double busiest_s = mixed ? costs.hosts.handling_s(piece_bytes) +
                                       costs.hosts.local_handling_s(static_cast<double>(piece_bytes)) + combine_s
                                 : message_s;
  const double together_s = together_seconds(costs, piece_bytes);
  const double piece_s = std::max({on_wire_s, busiest_s, together_s});
  // Ranks that always hand on are as far apart as a way is long, and wait for no other. Where hosts share processors a
  // piece waits for those before it at each hop.
  const double links_s = on_wire_s * all.network_rounds / all.rounds;
  const double waits_s = costs.hosts.share_processors() ? std::max({links_s, message_s, together_s}) : links_s;
  const double trips = costs.hosts.trips(piece_bytes);
  const double handed_s =
      message_s + all.frame_byte_s * std::min(wire, static_cast<double>(frame_wire_bytes)) / all.rounds;
  // Of a ring's hops a block leaves out one each time round: of some block that is the shortest one.
  const double times_round = all.rounds / static_cast<double>(costs.blocks - 1);
  const double ways_s = trips * (all.latency_s + times_round * (all.latency_s / all.rounds - all.shortest_hop_s));
  return std::max(all.rounds * pieces * piece_s + handed_s + trips * all.longest_hop_s,
                  all.rounds * (handed_s + waits_s) + ways_s + (pieces - 1.0) * piece_s);
}

/// What the busiest rank spends on a block, which it takes and hands on.
double busiest_seconds(const RoundCosts& costs, std::uint64_t block) {
  const RoundCost& period = costs.rounds;
  if (period.network_rounds == 0.0) return period.message_s(block, costs.hosts);
  return 2.0 * costs.hosts.handling_s(block);
}

/// Of rounds of any blocks, which overlap: a block is handed on while others come. The first goes as one that is alone.
/// Each of the others takes a round more.
double block_seconds(const RoundCosts& costs, std::uint64_t message_bytes, std::uint64_t blocks) {
  const RoundCost& period = costs.rounds;
  const std::uint64_t block = pieces_of(message_bytes, blocks);
  const auto wire = static_cast<double>(wire_bytes(block));
  const double together_s = together_seconds(costs, block);
  const double loaded_s = costs.at_once.seconds_per_byte / period.rounds * wire;
  const double alone_s = period.alone_byte_s / period.rounds * wire;
  const double delay_s = period.latency_s * costs.hosts.trips(block) +
                         period.frame_byte_s * std::min(wire, static_cast<double>(frame_wire_bytes));
  const double next_s =
      std::max({busiest_seconds(costs, block) + alone_s, loaded_s + delay_s / period.rounds, together_s});
  // Each block is handed on about as often as there are transfers in a round.
  const double all_hosts_s = static_cast<double>(blocks) * together_s;
  return std::max(all_hosts_s,
                  costs.of_one_block.seconds(block, block, costs.hosts) + static_cast<double>(blocks - 1) * next_s);
}

/// Of exchanges: one round after the other.
double exchange_seconds(const RoundCosts& costs, std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  double seconds = 0.0;
  for (const RoundCost& one : costs.each) {
    // A transfer's blocks lie side by side: a piece goes from one to the next.
    const std::uint64_t piece = std::min(segment_bytes, one.transfer_bytes(message_bytes));
    const bool flows = costs.in_lanes && one.network_rounds > 1.0;
    seconds +=
        flows ? one.chained_seconds(message_bytes, piece, costs.hosts) : one.seconds(message_bytes, piece, costs.hosts);
  }
  return seconds;
}

/// Of parts one behind the other, as of a pipeline: the ways of one of them, and the links for all.
double staggered_seconds(const RoundCosts& costs, std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  double ways_s = 0.0;
  for (RoundCost one : costs.each) {
    one.seconds_per_byte = 0.0;
    const std::uint64_t piece = std::min(segment_bytes, one.transfer_bytes(message_bytes));
    ways_s += one.seconds(message_bytes, piece, costs.hosts);
  }
  const std::uint64_t piece = std::min({segment_bytes, costs.at_once.transfer_bytes(message_bytes), message_bytes});
  const double links_s = costs.at_once.links_s(message_bytes, piece, costs.hosts);
  const double all_hosts_s =
      costs.hosts.share_processors() ? costs.at_once.seconds(message_bytes, piece, costs.hosts) : 0.0;
  return std::max(links_s + ways_s / static_cast<double>(costs.parts), all_hosts_s);
}

}  // namespace

double round_seconds(const RoundCosts& costs, std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  const RoundCost& rounds = costs.rounds;
  if (rounds.rounds == 0.0) return 0.0;
  const std::uint64_t segments = pieces_of(message_bytes, std::min(segment_bytes, message_bytes));
  if (costs.any_blocks) return block_seconds(costs, message_bytes, segments);
  // Blocks are sent in pieces; each has its headers, and passes through the software.
  const std::uint64_t block = pieces_of(message_bytes, costs.blocks);
  if (costs.relays) {
    return std::max(relay_seconds(costs, message_bytes, std::min(segment_bytes, block)),
                    rounds.streamed_s(message_bytes));
  }
  return costs.parts > 1 ? staggered_seconds(costs, message_bytes, segment_bytes)
                         : exchange_seconds(costs, message_bytes, segment_bytes);
}

namespace {

/// The fastest, or the longest that leaves at once where that is hardly slower: what is announced waits behind others
/// where links are busy, and so does the word that asks for it (docs/results/hosts.md, allreduces of 4 MiB).
template <class Seconds>
std::uint64_t exchanged_segment(const HostCosts& hosts, std::span<const std::uint64_t> candidates, Seconds seconds,
                                double alike) {
  const std::uint64_t fastest = *std::ranges::min_element(candidates, {}, seconds);
  if (hosts.is_eager(fastest)) return fastest;
  const std::uint64_t eager = *(std::ranges::upper_bound(candidates, hosts.eager_bytes) - 1);
  return seconds(eager) <= alike * seconds(fastest) ? eager : fastest;
}

}  // namespace

std::uint64_t best_segment(const RoundCosts& costs, std::uint64_t message_bytes) {
  auto candidates = segment_sizes();
  if (costs.rounds.seconds_per_byte == 0.0) return candidates.back();
  const auto seconds = [&](std::uint64_t segment) { return round_seconds(costs, message_bytes, segment); };
  // Where links are busy all the time, hardly anything depends on the pieces; fewer of them cost the hosts less.
  constexpr double alike = 1.03;
  if (costs.any_blocks) return *std::ranges::min_element(candidates, {}, seconds);
  // Longer pieces keep a port from those of other parts.
  constexpr std::uint64_t longest_of_parts = 16384;
  if (costs.parts > 1) {
    const auto end = std::ranges::upper_bound(candidates, longest_of_parts);
    return *std::ranges::min_element(candidates.begin(), end, {}, seconds);
  }
  if (!costs.relays) return exchanged_segment(costs.hosts, candidates, seconds, alike);
  // A piece is handed on while the next one comes: of few long pieces the links rest between them, which the rates do
  // not tell (16 hosts at 30 Mbit/s, 4 MiB: whole blocks take 3.05 T, pieces of 15888 bytes 1.99 T).
  constexpr std::uint64_t least_pieces = 8;
  // Beyond that nothing is gained, and memory for a window of them.
  constexpr std::uint64_t long_enough = 16384;
  const std::uint64_t most = std::max(pieces_of(message_bytes, costs.blocks) / least_pieces, long_enough);
  candidates =
      candidates.first(static_cast<std::size_t>(std::ranges::upper_bound(candidates, most) - candidates.begin()));
  const auto fastest = std::ranges::min_element(candidates, {}, seconds);
  const double most_s = alike * seconds(*fastest);
  const auto longest = std::ranges::find_if(candidates.rbegin(), candidates.rend(), [&](std::uint64_t segment) {
    return segment <= std::max(*fastest, long_enough) && seconds(segment) <= most_s;
  });
  return *longest;
}

double RoundCosts::seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const {
  return round_seconds(*this, message_bytes, segment_bytes);
}

std::uint64_t RoundCosts::best_segment(std::uint64_t message_bytes) const {
  return trunkline::best_segment(*this, message_bytes);
}

std::uint64_t RoundCosts::relayed_blocks() const { return relays || in_lanes ? blocks : 0; }

double RoundCosts::exchanged_byte_s() const { return relays || in_lanes || any_blocks ? 0.0 : rounds.seconds_per_byte; }

}  // namespace trunkline
