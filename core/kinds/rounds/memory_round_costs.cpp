// SPDX-License-Identifier: Apache-2.0
#include "kinds/rounds/memory_round_costs.hpp"

#include <algorithm>
#include <cmath>

#include "kinds/rounds/samples.hpp"
#include "model/transfer/memory_costs.hpp"
#include "model/transfer/segments.hpp"

namespace trunkline {

MemoryRoundCosts memory_round_costs(const Rounds& rounds, Collective collective, const HostCosts& hosts) {
  const RoundSamples samples = sample_rounds(rounds);
  MemoryRoundCosts costs;
  if (samples.any_blocks) return costs;
  costs.blocks = samples.blocks;
  costs.combine_byte_s = hosts.combine_byte_s;
  costs.speeds = hosts.memory;
  const CollectiveFacts& facts = facts_of(collective);
  if (facts.goes_by_shares() && !facts.reduces) costs.own_part = 1.0 / static_cast<double>(rounds.order.size());
  if (facts.goes_by_pairs()) costs.own_part = 1.0;
  const auto of_message = static_cast<double>(facts.blocks_of_message(samples.blocks));
  for (const RoundSample& sample : samples.rounds) {
    if (sample.sent.empty()) continue;
    MemoryRoundCosts::Round& round = costs.rounds.emplace_back();
    round.times = static_cast<double>(sample.times);
    for (const RoundSample::Sent& sent : sample.sent) {
      round.part = std::max(round.part, static_cast<double>(sent.blocks) / of_message);
      round.reduces = round.reduces || sent.reduces;
    }
  }
  return costs;
}

double MemoryRoundCosts::seconds(std::uint64_t message_bytes, std::uint64_t /*segment_bytes*/) const {
  const double own_bytes = own_part * static_cast<double>(message_bytes);
  double seconds = MemoryCosts(static_cast<std::uint64_t>(std::ceil(own_bytes)), *speeds, 0.0).own_share_s(own_bytes);
  for (const Round& round : rounds) {
    const double bytes = round.part * static_cast<double>(message_bytes);
    const auto whole = static_cast<std::uint64_t>(std::ceil(bytes));
    const MemoryCosts costs(whole, *speeds, combine_byte_s);
    const double exchange_s = round.reduces && round.part >= 1.0 ? costs.exchange_s(bytes) : 0.0;
    seconds += round.times * (speeds->round_s + costs.transfer_s(whole, round.reduces) + exchange_s);
  }
  return seconds;
}

std::uint64_t MemoryRoundCosts::best_segment(std::uint64_t /*message_bytes*/) const { return segment_sizes().back(); }

}  // namespace trunkline
