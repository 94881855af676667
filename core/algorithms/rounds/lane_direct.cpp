// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/lane_direct.hpp"

#include <algorithm>

#include "algorithms/rounds/mixed_radix.hpp"

namespace trunkline {

LaneDirect::LaneDirect(Rank lanes, Rank ranks, Rank position)
    : lanes_(lanes),
      groups_(groups_of(lanes, ranks)),
      group_(position / lanes),
      lane_(position % lanes),
      steps_(group_steps(lanes, lane_)) {
  check_root(ranks, position);
  turns_.reserve(3 * steps_.size());
  gather_own();
  exchange();
  gather_others();
}

LaneDirect::Row LaneDirect::served_by(Rank first_lane, Rank lanes) const {
  const auto begin = [&](Rank lane) { return static_cast<Rank>(std::uint64_t{lane} * groups_ / lanes_); };
  return {.begin = begin(first_lane), .end = begin(first_lane + lanes)};
}

Rank LaneDirect::lane_for(Rank group) const {
  return static_cast<Rank>(((std::uint64_t{group} + 1) * lanes_ - 1) / groups_);
}

LaneDirect::Row LaneDirect::part_of(Row row, bool behind) const {
  const bool has_own = row.begin <= group_ && group_ < row.end;
  if (!has_own) return behind ? Row{} : row;
  const Row before_own{row.begin, group_};
  const Row behind_own{group_ + 1, row.end};
  if (before_own.begin == before_own.end) return behind ? Row{} : behind_own;
  return behind ? behind_own : before_own;
}

std::optional<BlockTransfer> LaneDirect::with(Rank peer, Row row, std::uint64_t needs) const {
  if (row.begin >= row.end) return {};
  return BlockTransfer{.peer = peer,
                       .first = std::uint64_t{row.begin} * lanes_,
                       .count = std::uint64_t{row.end - row.begin} * lanes_,
                       .needs = needs};
}

void LaneDirect::gather_own() {
  std::uint64_t needs = no_round;
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    const GroupStep& now = steps_[step];
    if (step > 0 && steps_[step - 1].stage != now.stage) needs = rounds_ - 1;
    const std::uint64_t first = std::uint64_t{group_} * lanes_;
    const auto transfer = [&](Rank peer, Rank from, std::uint64_t waits) {
      return BlockTransfer{.peer = group_ * lanes_ + peer, .first = first + from, .count = now.count, .needs = waits};
    };
    turns_.push_back(
        {.send = transfer(now.to, now.sent_first, needs), .receive = transfer(now.from, now.received_first, no_round)});
    last_ = rounds_++;
  }
}

/// Both sides count from the places that the hosts have among those that their lanes serve: so each rank has another
/// partner in each round.
void LaneDirect::exchange() {
  first_exchange_ = rounds_;
  exchanges_ = (groups_ + lanes_ - 1) / lanes_;
  served_ = served_by(lane_, 1);
  own_lane_ = lane_for(group_);
  own_place_ = place_of(group_);
  own_blocks_in_ = last_;
  rounds_ += exchanges_;
  for (std::uint64_t round = rounds_; round-- > first_exchange_;) {
    if (!exchanges_with(round)) continue;
    last_ = round;
    break;
  }
}

/// At most one host that this lane serves has the place that is the round's.
std::optional<Rank> LaneDirect::exchanges_with(std::uint64_t round) const {
  const auto turn = static_cast<Rank>(round - first_exchange_);
  const Rank step = turn >= own_place_ ? turn - own_place_ : turn + exchanges_ - own_place_;
  const Rank other = served_.begin + step;
  if (other >= served_.end || other == group_) return {};
  return other;
}

void LaneDirect::gather_others() {
  std::uint64_t needs = last_;
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    const GroupStep& now = steps_[step];
    if (step > 0 && steps_[step - 1].stage != now.stage) needs = last_;
    for (const bool behind : {false, true}) {
      const Row sent = part_of(served_by(now.sent_first, now.count), behind);
      const Row received = part_of(served_by(now.received_first, now.count), behind);
      turns_.push_back(
          {.send = with(group_ * lanes_ + now.to, sent, needs), .receive = with(group_ * lanes_ + now.from, received)});
      if (received.begin < received.end) last_ = rounds_;
      ++rounds_;
    }
  }
}

std::optional<BlockTransfer> LaneDirect::send(std::uint64_t round, std::uint64_t /*blocks*/) const {
  if (!exchanges_in(round)) return turn(round).send;
  const std::optional<Rank> other = exchanges_with(round);
  if (!other) return {};
  return with(*other * lanes_ + own_lane_, {group_, group_ + 1}, own_blocks_in_);
}

std::optional<BlockTransfer> LaneDirect::receive(std::uint64_t round, std::uint64_t /*blocks*/) const {
  if (!exchanges_in(round)) return turn(round).receive;
  const std::optional<Rank> other = exchanges_with(round);
  if (!other) return {};
  return with(*other * lanes_ + own_lane_, {*other, *other + 1});
}

std::optional<PlacedGroups> LaneDirect::placed_groups() const {
  if (groups_ < 2) return {};
  PlacedGroups groups{.size = lanes_, .count = exchanges_, .places = {}};
  for (Rank group = 0; group < groups_; ++group) groups.places.push_back(place_of(group));
  return groups;
}

GroupRound LaneDirect::group_round(std::uint64_t round) const {
  if (round < first_exchange_) return own_round(round);
  if (!exchanges_in(round)) {
    const std::uint64_t turn = round - first_exchange_ - exchanges_;
    return others_round(turn / 2, turn % 2 == 1);
  }
  // The first exchange needs what came right before it, and what comes by the last one is told right after it.
  return {.meeting = static_cast<Rank>(round - first_exchange_),
          .met_blocks = lanes_,
          .follows = round > first_exchange_,
          .mirrored_follows = exchanges_in(round + 1)};
}

GroupRound LaneDirect::own_round(std::size_t step) const {
  const std::uint64_t ranks = std::uint64_t{lanes_} * groups_;
  return {.within = {{.blocks = steps_[step].count, .times = ranks}},
          .follows = !begins_stage(step),
          .mirrored_follows = step + 1 < steps_.size() && !begins_stage(step + 1)};
}

std::map<Rank, Rank> LaneDirect::rows_of_step(std::size_t step) const {
  std::map<Rank, Rank> lanes_by_length;
  for (Rank lane = 0; lane < lanes_; ++lane) {
    const GroupStep now = group_steps(lanes_, lane)[step];
    const Row row = served_by(now.sent_first, now.count);
    ++lanes_by_length[row.end - row.begin];
  }
  return lanes_by_length;
}

/// Groups outside a row send all of it in the first of two rounds; of those inside the first one sends what is behind
/// it, and the others what is before them, and then what is behind.
GroupRound LaneDirect::others_round(std::size_t step, bool behind) const {
  GroupRound round{.follows = behind || !begins_stage(step), .mirrored_follows = true};
  const auto add = [&](Rank groups, std::uint64_t times) {
    if (groups > 0 && times > 0) round.within.push_back({.blocks = std::uint64_t{groups} * lanes_, .times = times});
  };
  for (const auto& [length, lanes] : rows_of_step(step)) {
    if (!behind) {
      add(length, std::uint64_t{lanes} * (groups_ - length));
      if (length > 0) add(length - 1, lanes);
    }
    const Rank end = behind && length > 0 ? length - 1 : length;
    for (Rank groups = 1; groups < end; ++groups) add(groups, lanes);
  }
  // What came last in the stage before is there right before this one, unless no row has a group in its middle.
  if (!behind && step > 0 && begins_stage(step)) round.follows = rows_of_step(step - 1).rbegin()->first < 3;
  return round;
}

/// Exchanges send the blocks of this group alone: for others they are left out.
std::uint64_t LaneDirect::sent_next(std::uint64_t round, std::uint64_t end, std::uint64_t first,
                                    std::uint64_t count) const {
  const std::uint64_t own = std::uint64_t{group_} * lanes_;
  const bool has_own = own < first + count && first < own + lanes_;
  const std::uint64_t behind = first_exchange_ + exchanges_;
  if (has_own || round + 1 >= behind || end <= first_exchange_) {
    return BlockSchedule::sent_next(round, end, first, count);
  }
  const std::uint64_t before = BlockSchedule::sent_next(round, first_exchange_, first, count);
  if (before < first_exchange_) return before;
  return end > behind ? BlockSchedule::sent_next(behind - 1, end, first, count) : end;
}

}  // namespace trunkline
