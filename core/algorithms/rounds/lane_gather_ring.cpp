// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/lane_gather_ring.hpp"

#include "algorithms/rounds/mixed_radix.hpp"

namespace trunkline {

LaneGatherRing::LaneGatherRing(Rank lanes, Rank ranks, Rank position)
    : lanes_(lanes),
      groups_(groups_of(lanes, ranks)),
      group_(position / lanes),
      lane_(position % lanes),
      steps_(group_steps(lanes, lane_)) {
  check_root(ranks, position);
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    if (steps_[step].stage == stage_ends_.size()) stage_ends_.push_back(0);
    stage_ends_.back() = 1 + step;
  }
}

std::uint64_t LaneGatherRing::rounds(std::uint64_t /*blocks*/) const {
  const std::uint64_t turns = groups_ - 1 + stage_ends_.size();
  return turns * turn_rounds();
}

std::vector<BlockSchedule::Recurring> LaneGatherRing::recurring() const {
  std::vector<Recurring> all;
  if (groups_ > 1) all.push_back({.round = 0, .times = std::uint64_t{groups_} - 1});
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    all.push_back({.round = steps_[step].stage * turn_rounds() + 1 + step, .times = groups_});
  }
  return all;
}

std::uint64_t LaneGatherRing::first_block_of(std::uint64_t before) const {
  return (group_ + groups_ - before) % groups_ * lanes_;
}

std::optional<BlockTransfer> LaneGatherRing::along_lane(std::uint64_t turn, bool sends) const {
  if (turn + 1 >= groups_) return {};
  const Rank group = (group_ + (sends ? 1 : groups_ - 1)) % groups_;
  return BlockTransfer{.peer = group * lanes_ + lane_,
                       .first = first_block_of(sends ? turn : turn + 1) + lane_,
                       .count = 1,
                       .needs = sends && turn > 0 ? (turn - 1) * turn_rounds() : no_round};
}

std::optional<BlockTransfer> LaneGatherRing::within_group(std::uint64_t turn, std::size_t step, bool sends) const {
  const GroupStep& now = steps_[step];
  if (turn < now.stage || turn - now.stage >= groups_) return {};
  const std::uint64_t before = turn - now.stage;
  BlockTransfer made{.peer = group_ * lanes_ + (sends ? now.to : now.from),
                     .first = first_block_of(before) + (sends ? now.sent_first : now.received_first),
                     .count = now.count};
  if (!sends) return made;
  if (now.stage > 0) {
    made.needs = (turn - 1) * turn_rounds() + stage_ends_[now.stage - 1];
  } else if (before > 0) {
    made.needs = (turn - 1) * turn_rounds();
  }
  return made;
}

std::optional<BlockTransfer> LaneGatherRing::transfer(std::uint64_t round, std::uint64_t /*blocks*/, bool sends) const {
  const std::uint64_t turn = round / turn_rounds();
  const std::uint64_t within = round % turn_rounds();
  return within == 0 ? along_lane(turn, sends) : within_group(turn, within - 1, sends);
}

}  // namespace trunkline
