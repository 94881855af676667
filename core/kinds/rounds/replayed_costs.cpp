// SPDX-License-Identifier: Apache-2.0
// What rounds cost: the loads of all that is sent in them, those that are alike taken once.
#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kinds/rounds/costs.hpp"
#include "kinds/rounds/samples.hpp"
#include "model/transfer/host_meetings.hpp"
#include "model/transfer/repeated_sum.hpp"

namespace trunkline {
namespace {

/// The most positions in a row, in groups from the first one on, such that each group is on one host.
Rank on_a_host(const Placement& placement, std::span<const Rank> order) {
  Rank most = 0;
  Rank begin = 0;
  for (Rank position = 1; position <= order.size() && most != 1; ++position) {
    if (position < order.size() && placement[order[position]] == placement[order[begin]]) continue;
    most = std::gcd(most, position - begin);
    begin = position;
  }
  return std::max(most, Rank{1});
}

/// In groups of how many positions in a row all of a host's stand, each host's once; 0: they do not.
Rank whole_hosts(const Placement& placement, std::span<const Rank> order) {
  const auto end =
      std::ranges::adjacent_find(order, [&](Rank one, Rank other) { return placement[one] != placement[other]; });
  const auto size = static_cast<Rank>(std::min(end - order.begin() + 1, std::ssize(order)));
  if (order.size() % size != 0) return 0;
  std::vector<HostIndex> hosts;
  for (Rank begin = 0; begin < order.size(); begin += size) {
    hosts.push_back(placement[order[begin]]);
    for (Rank at = begin; at < begin + size; ++at) {
      if (placement[order[at]] != hosts.back()) return 0;
    }
  }
  std::ranges::sort(hosts);
  return std::ranges::adjacent_find(hosts) == hosts.end() ? size : 0;
}

/// How hosts meet in groups of positions; nothing: they do not, or each transfer counts by itself.
std::optional<HostMeetings> meetings_of(const Paths& paths, const Placement& placement, const Rounds& rounds) {
  const auto first = rounds.schedule_of(0);
  const std::optional<PlacedGroups> groups = first->placed_groups();
  if (!groups || groups->size != whole_hosts(placement, rounds.order)) return {};
  std::vector<NodeId> hosts;
  for (std::size_t group = 0; group < groups->places.size(); ++group) {
    hosts.push_back(paths.cluster().hosts()[placement[rounds.order[group * groups->size]]]);
  }
  const double amount = static_cast<double>(groups->size) / static_cast<double>(*first->fixed_blocks());
  HostMeetings meetings(paths, std::move(hosts), groups->places, groups->count, amount);
  if (!meetings.are_known()) return {};
  return meetings;
}

/// Of a round of such groups.
TimedRound::Loads loads_of(const GroupRound& round, const HostMeetings& meetings, std::uint64_t blocks,
                           double reducing) {
  TimedRound::Loads loads;
  if (round.meeting) loads = meetings.loads(*round.meeting);
  for (const auto& [of, times] : round.within) {
    const double part = static_cast<double>(of) / static_cast<double>(blocks);
    loads.local_transfers += static_cast<double>(times);
    add_times(loads.local_amounts, part, static_cast<std::uint32_t>(times));
    loads.longest_local = std::max(loads.longest_local, part);
  }
  return loads.reduced(reducing);
}

/// By position: where the row of those ends that are on its host.
std::vector<Rank> ends_on_hosts(const Placement& placement, std::span<const Rank> order) {
  std::vector<Rank> ends(order.size());
  for (std::size_t at = order.size(); at-- > 0;) {
    const bool goes_on = at + 1 < order.size() && placement[order[at]] == placement[order[at + 1]];
    ends[at] = goes_on ? ends[at + 1] : static_cast<Rank>(at + 1);
  }
  return ends;
}

/// Of rows: those in a row from one host to another are one transfer, so many times.
std::vector<RoundSample::Sent> sent_in(std::span<const RowOfSends> rows, const std::vector<Rank>& ends) {
  const auto ranks = static_cast<Rank>(ends.size());
  std::vector<RoundSample::Sent> sent;
  for (const auto& [first, count, distance, blocks] : rows) {
    for (Rank from = first; from < first + count;) {
      const Rank to = from < ranks - distance ? from + distance : from - (ranks - distance);
      const Rank times = std::min({ends[from] - from, ends[to] - to, first + count - from});
      sent.push_back({.from = from, .to = to, .blocks = blocks, .reduces = false, .times = times});
      from += times;
    }
  }
  return sent;
}

/// What goes on together is one round of several transfers. Where hosts share processors, as on the lab, ranks wait for
/// those, and little goes on together.
void add_round(RoundCosts& costs, RoundCost one, bool follows) {
  one.announced = announced_exchanges;
  one.hides_ways = costs.parts == 1 && !costs.hosts.share_processors();
  costs.rounds += one;
  if (follows && one.hides_ways && !costs.each.empty() &&
      (costs.each.back().network_rounds > 0.0) == (one.network_rounds > 0.0)) {
    costs.each.back() += one;
  } else {
    costs.each.push_back(std::move(one));
  }
}

/// With what is sent in rows host by host.
RoundSamples samples_of(const Placement& placement, const Rounds& rounds, bool meet, bool in_step) {
  const auto first = rounds.schedule_of(0);
  // Of any blocks each takes every hop after another, and in step nobody goes on before the others.
  const bool in_rows = in_step || !first->fixed_blocks();
  const bool listed = first->listed_groups() > 0;
  RoundSamples samples = sample_rounds(rounds, on_a_host(placement, rounds.order),
                                       meet || listed ? whole_hosts(placement, rounds.order) : 0, in_rows);
  std::vector<Rank> ends;
  for (std::vector<RoundSample>* const all : {&samples.rounds, &samples.of_one_block}) {
    for (RoundSample& sample : *all) {
      if (sample.rows.empty()) continue;
      if (ends.empty()) ends = ends_on_hosts(placement, rounds.order);
      sample.sent = sent_in(sample.rows, ends);
    }
  }
  return samples;
}

}  // namespace

RoundCosts round_costs(const Paths& paths, const Placement& placement, const Rounds& rounds, const HostCosts& hosts,
                       bool in_step) {
  check_placement(paths.cluster(), placement, rounds.order.front());
  const std::optional<HostMeetings> meetings = meetings_of(paths, placement, rounds);
  const RoundSamples samples = samples_of(placement, rounds, meetings.has_value(), in_step);
  RoundCosts costs;
  costs.blocks = samples.blocks;
  costs.any_blocks = samples.any_blocks;
  costs.relays = !samples.any_blocks && samples.rounds.size() == 1 && samples.rounds.front().times > 1;
  costs.in_lanes = samples.lanes > 1;
  costs.parts = samples.parts;
  costs.hosts = hosts;
  const bool at_once = costs.parts > 1 || costs.any_blocks;
  TimedRound all(paths, placement, rounds.order);
  TimedRound round(paths, placement, rounds.order);
  // Where no sum of parts is rounded, those that are alike count together, in whatever order.
  const bool together = std::has_single_bit(samples.blocks);
  std::vector<std::optional<TimedRound::Loads>> known(samples.rounds.size());  // of samples that others are as
  for (std::size_t at = 0; at < samples.rounds.size(); ++at) {
    const RoundSample& sample = samples.rounds[at];
    if (meetings) {
      const double reducing = static_cast<double>(sample.reducing) / static_cast<double>(sample.times);
      const TimedRound::Loads loads = loads_of(sample.by_groups, *meetings, samples.blocks, reducing);
      if (loads.transfers + loads.local_transfers == 0.0) continue;
      const bool follows = sample.follows && !in_step;
      RoundCost one;
      round.add(one, loads, static_cast<double>(sample.times), false, follows);
      add_round(costs, std::move(one), follows);
      continue;
    }
    const std::size_t as = sample.as == no_sample ? at : sample.as;
    const std::vector<RoundSample::Sent>& sends = samples.rounds[as].sent;
    if (sends.empty()) continue;
    const double reducing = static_cast<double>(sample.reducing) / static_cast<double>(sample.times);
    for (const RoundSample::Sent& sent : sends) {
      if (as != at && (together || !at_once)) break;
      const double part =
          samples.any_blocks ? 1.0 : static_cast<double>(sent.blocks) / static_cast<double>(samples.blocks);
      if (as == at) round.transfer(sent.from, sent.to, part, reducing * part, sent.times);
      if (!at_once) continue;
      const std::size_t alike = together ? 1 + sample.likes : 1;
      all.transfer(sent.from, sent.to, part, 0.0, sent.times * static_cast<Rank>(alike));
    }
    RoundCost one;
    const bool takes_every_hop = costs.any_blocks || costs.relays || (costs.in_lanes && sample.times > 1);
    const bool follows = sample.follows && !takes_every_hop && !in_step;
    if (as == at) known[at] = round.loads(sample.times > 1, takes_every_hop);
    round.add(one, as == at ? *known[at] : known[as]->reduced(reducing), static_cast<double>(sample.times),
              takes_every_hop, follows);
    add_round(costs, std::move(one), follows);
  }
  if (at_once) all.finish(costs.at_once);
  costs.at_once.announced = announced_exchanges;
  for (const RoundSample& sample : samples.of_one_block) {
    for (const RoundSample::Sent& sent : sample.sent) round.transfer(sent.from, sent.to, 1.0, 0.0, sent.times);
    round.finish(costs.of_one_block);
  }
  return costs;
}

}  // namespace trunkline
