// SPDX-License-Identifier: Apache-2.0
#include "kinds/rounds/samples.hpp"

#include <algorithm>
#include <map>

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

/// The most positions in a row that do the same; a divisor of `on_a_host`.
Rank group_of(const BlockSchedule& schedule, Rank on_a_host) {
  Rank size = on_a_host;
  while (size > 1 && (on_a_host % size != 0 || !schedule.alike_in_groups(size))) --size;
  return size;
}

/// Replays one rank after another.
class Replay {
 public:
  Replay(RoundSamples& samples, Rank ranks, Rank group) : samples_(samples), ranks_(ranks), group_(group) {}

  /// Samples that only the first positions are replayed for, up to this one.
  void places_alike(const BlockSchedule& first, Rank places) {
    places_ = places;
    std::map<std::uint64_t, std::size_t> known;  // samples by round
    for (std::size_t at = 0; at < samples_.rounds.size(); ++at) {
      RoundSample& sample = samples_.rounds[at];
      const auto [as, is_new] = known.try_emplace(first.first_alike(sample.round), at);
      if (is_new) continue;
      sample.as = as->second;
      ++samples_.rounds[as->second].likes;
    }
    sends_out_.resize(places / group_);
  }

  void all(const Schedules& schedule_of) {
    for (Rank from = 0; from < places_; from += group_) {  // one rank at a time: all schedules take much memory
      const auto schedule = schedule_of(from);
      for (RoundSample& sample : samples_.rounds) first_places(*schedule, from, sample);
      one_block(*schedule, from);
    }
    for (Rank from = places_; from < ranks_; from += group_) {
      const std::vector<std::size_t>& sends = sends_out_[from % places_ / group_];
      if (sends.empty()) continue;
      const auto schedule = schedule_of(from);
      for (const std::size_t at : sends) {
        RoundSample& sample = samples_.rounds[at];
        const auto send = schedule->send(sample.round, samples_.blocks);
        add(sample, {from, send->peer, send->blocks().blocks(), send->reduces, group_});
      }
    }
  }

 private:
  /// Many ranks send in most rounds: what was added is moved few times.
  void add(RoundSample& sample, const RoundSample::Sent& sent) const {
    constexpr std::size_t grows_by = 8;
    std::vector<RoundSample::Sent>& all = sample.sent;
    if (all.size() == all.capacity()) all.reserve(std::min<std::size_t>(grows_by * (1 + all.size()), ranks_));
    all.push_back(sent);
  }

  void first_places(const BlockSchedule& schedule, Rank from, RoundSample& sample) {
    const auto send = schedule.send(sample.round, samples_.blocks);
    if (!send) return;
    if (sample.reducing == 0 && send->reduces) sample.reducing = reducing_of(schedule, sample, samples_.blocks);
    sample.follows = sample.follows && sample.round > 0 && (send->needs == no_round || send->needs + 1 < sample.round);
    if (sample.as != no_sample) return;
    const bool stays = places_ < ranks_ && send->peer < places_;
    const Rank times = stays ? group_ * (ranks_ / places_) : group_;
    add(sample, {from, send->peer, send->blocks().blocks(), send->reduces, times});
    if (places_ < ranks_ && !stays) {
      sends_out_[from / group_].push_back(static_cast<std::size_t>(&sample - samples_.rounds.data()));
    }
  }

  void one_block(const BlockSchedule& schedule, Rank from) {
    for (RoundSample& sample : samples_.of_one_block) {
      if (const auto send = schedule.send(sample.round, 1)) {
        add(sample, {from, send->peer, send->count, send->reduces});
      }
    }
  }

  RoundSamples& samples_;
  Rank ranks_;
  Rank group_;
  Rank places_ = ranks_;
  std::vector<std::vector<std::size_t>> sends_out_{};  ///< by place: the samples in which it sends to other groups
};

/// Of groups that meet by their places, without looking at any of their members.
void take_groups_together(RoundSamples& samples, const BlockSchedule& schedule) {
  for (RoundSample& sample : samples.rounds) {
    sample.by_groups = schedule.group_round(sample.round);
    sample.reducing = sample.by_groups.reduces ? sample.times : 0;
    sample.follows = sample.by_groups.follows;
  }
}

/// Of groups that say all that is sent between them and within, without looking at any of their members.
void take_listed_groups(RoundSamples& samples, const BlockSchedule& schedule) {
  const Rank size = schedule.listed_groups();
  for (RoundSample& sample : samples.rounds) {
    sample.follows = false;
    for (const auto& [from, to, times, reduces] : schedule.sent_by_groups(sample.round)) {
      sample.sent.push_back({.from = from * size, .to = to * size, .blocks = 1, .reduces = reduces, .times = times});
      if (reduces) sample.reducing = sample.times;
    }
  }
}

/// All that is sent, without looking at any rank.
void take_rows(RoundSamples& samples, const BlockSchedule& schedule) {
  for (RoundSample& sample : samples.rounds) sample.rows = schedule.rows_sent(sample.round, samples.blocks);
  for (RoundSample& sample : samples.of_one_block) sample.rows = schedule.rows_sent(sample.round, 1);
}

}  // namespace

RoundSamples sample_rounds(const Rounds& rounds, Rank on_a_host, Rank whole_hosts, bool in_rows) {
  const auto first = rounds.schedule_of(0);
  const auto fixed = first->fixed_blocks();
  const std::uint64_t begin = fixed ? 0 : first->period();
  const std::uint64_t end = fixed ? first->rounds(*fixed) : 2 * first->period();
  RoundSamples samples{.any_blocks = !fixed,
                       .blocks = fixed.value_or(middle_periods * first->period()),
                       .lanes = first->lanes(),
                       .parts = first->parts()};
  for (const auto& [round, times] : first->recurring()) samples.rounds.push_back({.round = round, .times = times});
  if (samples.rounds.empty()) {
    for (std::uint64_t round = begin; round < end; round += samples.rounds.back().times) {
      samples.rounds.push_back({.round = round, .times = fixed ? first->alike(round) : 1});
    }
  }
  for (std::uint64_t round = 0; !fixed && round < first->rounds(1); ++round) {
    samples.of_one_block.push_back({.round = round});
  }
  samples.groups = first->placed_groups();
  if (samples.groups && samples.groups->size != whole_hosts) samples.groups.reset();
  if (samples.groups) {
    take_groups_together(samples, *first);
    return samples;
  }
  if (whole_hosts > 0 && first->listed_groups() == whole_hosts) {
    take_listed_groups(samples, *first);
    return samples;
  }
  if (in_rows && first->sends_in_rows()) {
    take_rows(samples, *first);
    return samples;
  }
  const auto ranks = static_cast<Rank>(rounds.order.size());
  Replay replay(samples, ranks, group_of(*first, on_a_host));
  const Rank places = first->places_alike();
  if (places > 1 && on_a_host % places == 0) replay.places_alike(*first, places);
  replay.all(rounds.generator.empty() ? rounds.schedule_of : sweep_schedules(rounds.generator, ranks));
  return samples;
}

}  // namespace trunkline
