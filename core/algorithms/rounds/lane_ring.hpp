// SPDX-License-Identifier: Apache-2.0
// Allreduce in lanes (Träff, Hunold 2020): of the ranks of each host every one keeps a part of the message, and goes
// round a ring of its own with those of the other hosts that keep the same part.
#pragma once

#include <cstdint>
#include <optional>

#include "algorithms/rounds/mixed_radix.hpp"
#include "algorithms/rounds/ring.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline {

/// Positions in a row are a group: ranks of one host. First each gets its part of the group's sum (MixedRadix, the way
/// there), then the lanes' rings sum up over the groups and hand on, at once and without contention, then the group
/// gathers the parts. With N groups a message takes 2 (N - 1) hops over the network, where a ring of all ranks takes as
/// many as there are ranks; the bytes over a host's link are the same. 2 (N - 1) (T(m / N) + T(0)).
class LaneRing final : public TwoSided {
 public:
  /// Throws std::invalid_argument where `lanes` is no divisor of `ranks`, or `position` is not below `ranks`.
  LaneRing(Rank lanes, Rank ranks, Rank position);

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return std::uint64_t{lanes_} * groups_; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t blocks) const override;
  [[nodiscard]] std::uint64_t alike(std::uint64_t round) const override;
  [[nodiscard]] std::uint64_t lanes() const override { return lanes_; }
  [[nodiscard]] bool alike_in_groups(Rank size) const override { return size == 1 || size == lanes_; }

 private:
  [[nodiscard]] std::optional<BlockTransfer> transfer(std::uint64_t round, std::uint64_t blocks,
                                                      bool sends) const override;
  [[nodiscard]] BlockTransfer within_group(std::uint64_t round, bool sends) const;
  [[nodiscard]] BlockTransfer along_lane(std::uint64_t round, bool sends) const;

  Rank lanes_;
  Rank groups_;
  Rank group_;  ///< of this position
  Rank lane_;
  MixedRadix within_;                   ///< over the group; its blocks are a lane's each
  Ring<RingTurns::allreduce> between_;  ///< over the groups, along the lane
  std::uint64_t there_ = 0;             ///< rounds until each has its part of the group's sum
  std::uint64_t around_ = 0;            ///< rounds of the ring
};

}  // namespace trunkline
