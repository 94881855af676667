// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/lane_ring.hpp"

namespace trunkline {

LaneRing::LaneRing(Rank lanes, Rank ranks, Rank position)
    : lanes_(lanes),
      groups_(groups_of(lanes, ranks)),
      group_(position / lanes),
      lane_(position % lanes),
      within_({}, lanes, lane_),
      between_(groups_, group_),
      there_(within_.rounds(lanes) / 2),
      around_(between_.rounds(groups_)) {}

std::uint64_t LaneRing::rounds(std::uint64_t /*blocks*/) const { return 2 * there_ + around_; }

std::uint64_t LaneRing::alike(std::uint64_t round) const {
  const bool goes_around = round >= there_ && round < there_ + around_;
  return goes_around ? there_ + around_ - round : 1;
}

BlockTransfer LaneRing::within_group(std::uint64_t round, bool sends) const {
  const bool back = round >= there_;
  const std::uint64_t own_round = back ? round - around_ : round;
  BlockTransfer made = sends ? *within_.send(own_round, lanes_) : *within_.receive(own_round, lanes_);
  made.peer += group_ * lanes_;
  made.first *= groups_;
  made.count *= groups_;
  // The first rounds back need the ring's last one, which stands where the last round there does in the group alone.
  if (back && made.needs != no_round) made.needs += around_;
  return made;
}

BlockTransfer LaneRing::along_lane(std::uint64_t round, bool sends) const {
  BlockTransfer made = sends ? *between_.send(round - there_, groups_) : *between_.receive(round - there_, groups_);
  made.peer = made.peer * lanes_ + lane_;
  made.first += within_.kept_block() * groups_;
  if (sends) made.needs = made.needs == no_round ? (there_ > 0 ? there_ - 1 : no_round) : made.needs + there_;
  return made;
}

std::optional<BlockTransfer> LaneRing::transfer(std::uint64_t round, std::uint64_t /*blocks*/, bool sends) const {
  if (round < there_ || round >= there_ + around_) return within_group(round, sends);
  return along_lane(round, sends);
}

}  // namespace trunkline
