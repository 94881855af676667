// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/lane_direct.hpp"

#include <algorithm>
#include <iterator>

#include "algorithms/rounds/mixed_radix.hpp"

namespace trunkline {

LaneDirect::LaneDirect(Rank lanes, Rank ranks, Rank position)
    : lanes_(lanes),
      groups_(groups_of(lanes, ranks)),
      group_(position / lanes),
      lane_(position % lanes),
      steps_(group_steps(lanes, lane_)) {
  check_root(ranks, position);
  turns_.reserve(3 * steps_.size() + groups_ / lanes_ + 1);
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

void LaneDirect::add(const Turn& turn) {
  if (turn.send || turn.receive) turns_.push_back(turn);
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
    add({.round = rounds_,
         .send = transfer(now.to, now.sent_first, needs),
         .receive = transfer(now.from, now.received_first, no_round)});
    last_ = rounds_++;
  }
}

/// Both sides count from the places that the hosts have among those that their lanes serve: so each rank has another
/// partner in each round.
void LaneDirect::exchange() {
  const auto place = [&](Rank group) { return group - served_by(lane_for(group), 1).begin; };
  const Rank most = (groups_ + lanes_ - 1) / lanes_;
  const Rank served = served_by(lane_, 1).end - served_by(lane_, 1).begin;
  const Rank own_lane = lane_for(group_);
  const Rank own_place = place(group_) % most;
  const std::uint64_t needs = last_;
  for (Rank round = 0; round < most; ++round, ++rounds_) {
    // At most one host that this lane serves has the place that is this round's.
    const Rank step = (round + most - own_place) % most;
    const Rank other = served_by(lane_, 1).begin + step;
    if (step >= served || other == group_) continue;
    add({.round = rounds_,
         .send = with(other * lanes_ + own_lane, {group_, group_ + 1}, needs),
         .receive = with(other * lanes_ + own_lane, {other, other + 1})});
    last_ = rounds_;
  }
}

void LaneDirect::gather_others() {
  std::uint64_t needs = last_;
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    const GroupStep& now = steps_[step];
    if (step > 0 && steps_[step - 1].stage != now.stage) needs = last_;
    for (const bool behind : {false, true}) {
      const Row sent = part_of(served_by(now.sent_first, now.count), behind);
      const Row received = part_of(served_by(now.received_first, now.count), behind);
      add({.round = rounds_,
           .send = with(group_ * lanes_ + now.to, sent, needs),
           .receive = with(group_ * lanes_ + now.from, received)});
      if (received.begin < received.end) last_ = rounds_;
      ++rounds_;
    }
  }
}

const LaneDirect::Turn* LaneDirect::turn(std::uint64_t round) const {
  // Few rounds are without one: it stands near where all before it would lead to.
  const auto end = turns_.begin() + std::min(static_cast<std::ptrdiff_t>(round) + 1, std::ssize(turns_));
  const auto found =
      std::find_if(std::reverse_iterator(end), turns_.rend(), [&](const Turn& one) { return one.round <= round; });
  return found != turns_.rend() && found->round == round ? &*found : nullptr;
}

std::optional<BlockTransfer> LaneDirect::send(std::uint64_t round, std::uint64_t /*blocks*/) const {
  const Turn* const found = turn(round);
  return found != nullptr ? found->send : std::nullopt;
}

std::optional<BlockTransfer> LaneDirect::receive(std::uint64_t round, std::uint64_t /*blocks*/) const {
  const Turn* const found = turn(round);
  return found != nullptr ? found->receive : std::nullopt;
}

}  // namespace trunkline
