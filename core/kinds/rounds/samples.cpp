// SPDX-License-Identifier: Apache-2.0
#include "kinds/rounds/samples.hpp"

#include "algorithms/rounds/generators.hpp"

namespace trunkline {

namespace {

/// Of the rounds that a sample stands for.
std::uint64_t reducing_of(const BlockSchedule& schedule, const RoundSample& sample, std::uint64_t blocks) {
  if (!schedule.recurring().empty()) return sample.times;
  std::uint64_t reducing = 0;
  for (std::uint64_t round = sample.round; round < sample.round + sample.times; ++round) {
    const auto send = schedule.send(round, blocks);
    if (send && send->reduces) ++reducing;
  }
  return reducing;
}

}  // namespace

RoundSamples sample_rounds(const Rounds& rounds) {
  const auto first = rounds.schedule_of(0);
  const auto fixed = first->fixed_blocks();
  const std::uint64_t begin = fixed ? 0 : first->period();
  const std::uint64_t end = fixed ? first->rounds(*fixed) : 2 * begin;
  RoundSamples samples{
      .any_blocks = !fixed, .blocks = fixed.value_or(4 * begin), .lanes = first->lanes(), .parts = first->parts()};
  for (const auto& [round, times] : first->recurring()) samples.rounds.push_back({.round = round, .times = times});
  if (samples.rounds.empty()) {
    for (std::uint64_t round = begin; round < end; round += samples.rounds.back().times) {
      samples.rounds.push_back({.round = round, .times = fixed ? first->alike(round) : 1});
    }
  }
  for (std::uint64_t round = 0; !fixed && round < first->rounds(1); ++round) {
    samples.of_one_block.push_back({.round = round});
  }
  const auto ranks = static_cast<Rank>(rounds.order.size());
  const Schedules schedule_of =
      rounds.generator.empty() ? rounds.schedule_of : sweep_schedules(rounds.generator, ranks);
  for (Rank from = 0; from < ranks; ++from) {  // one rank at a time: all schedules take much memory
    const auto schedule = schedule_of(from);
    for (RoundSample& sample : samples.rounds) {
      const auto send = schedule->send(sample.round, samples.blocks);
      if (!send) continue;
      sample.sent.push_back({from, send->peer, send->count, send->reduces});
      if (sample.reducing == 0 && send->reduces) sample.reducing = reducing_of(*schedule, sample, samples.blocks);
      sample.follows =
          sample.follows && sample.round > 0 && (send->needs == no_round || send->needs + 1 < sample.round);
    }
    for (RoundSample& sample : samples.of_one_block) {
      if (const auto send = schedule->send(sample.round, 1)) {
        sample.sent.push_back({from, send->peer, send->count, send->reduces});
      }
    }
  }
  return samples;
}

}  // namespace trunkline
