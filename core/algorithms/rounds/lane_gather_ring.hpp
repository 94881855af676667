// SPDX-License-Identifier: Apache-2.0
// Allgather in lanes (Träff, Hunold 2020): each rank goes round a ring with one rank of every other host, while the
// ranks of a host tell each other what came.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/rounds/group_steps.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline {

/// Positions in a row are a group: ranks of one host. In a turn each hands on in its lane's ring what came in the turn
/// before, and the group goes one stage on with the blocks of each of the hosts before: what came last is exchanged in
/// the first stage (GroupSteps), what came before that in the second one, and so on. So no rank waits twice in a turn.
/// N - 1 hops over the network, where a ring of all ranks takes as many as there are ranks; the bytes over a host's
/// link are the same. (N - 1) (T(m / N) + T(0)) on N hosts.
class LaneGatherRing final : public TwoSided {
 public:
  /// Throws std::invalid_argument where `lanes` is no divisor of `ranks`, or `position` is not below `ranks`.
  LaneGatherRing(Rank lanes, Rank ranks, Rank position);

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return std::uint64_t{lanes_} * groups_; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t blocks) const override;
  [[nodiscard]] std::vector<Recurring> recurring() const override;
  [[nodiscard]] std::uint64_t lanes() const override { return lanes_; }
  [[nodiscard]] bool alike_in_groups(Rank size) const override { return size == 1 || size == lanes_; }

 private:
  [[nodiscard]] std::optional<BlockTransfer> transfer(std::uint64_t round, std::uint64_t blocks,
                                                      bool sends) const override;
  [[nodiscard]] std::optional<BlockTransfer> along_lane(std::uint64_t turn, bool sends) const;
  [[nodiscard]] std::optional<BlockTransfer> within_group(std::uint64_t turn, std::size_t step, bool sends) const;
  [[nodiscard]] std::uint64_t turn_rounds() const { return 1 + steps_.size(); }
  /// Of the host that is `before` places before this one.
  [[nodiscard]] std::uint64_t first_block_of(std::uint64_t before) const;

  Rank lanes_;
  Rank groups_;
  Rank group_;  ///< of this position
  Rank lane_;
  std::vector<GroupStep> steps_;
  std::vector<std::uint64_t> stage_ends_{};  ///< the last round of each stage, within a turn
};

}  // namespace trunkline
