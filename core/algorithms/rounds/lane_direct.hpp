// SPDX-License-Identifier: Apache-2.0
// Allgather of short blocks: each host's go to all other hosts at once, and each of its ranks sends to a few of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "algorithms/rounds/group_steps.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline {

/// Positions in a row are a group: ranks of one host. First each gets all blocks of its host. Each serves a few hosts
/// in a row: the one of host A that serves B exchanges all blocks of both with the one of B that serves A. Then ranks
/// of a host tell each other what came, hosts in a row at a time. On N hosts of L ranks a rank has N / L exchanges over
/// the network, rounded up, and none waits for another; a host's link carries each byte once, trunks as often as hosts
/// behind them need it. N / L T(L m / P) + T(0), times the channel load.
class LaneDirect final : public BlockSchedule {
 public:
  /// Throws std::invalid_argument where `lanes` is no divisor of `ranks`, or `position` is not below `ranks`.
  LaneDirect(Rank lanes, Rank ranks, Rank position);

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return std::uint64_t{lanes_} * groups_; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t /*blocks*/) const override { return rounds_; }
  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t blocks) const override;
  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t blocks) const override;
  [[nodiscard]] std::uint64_t sent_next(std::uint64_t round, std::uint64_t end, std::uint64_t first,
                                        std::uint64_t count) const override;
  [[nodiscard]] std::optional<PlacedGroups> placed_groups() const override;
  [[nodiscard]] GroupRound group_round(std::uint64_t round) const override;

 private:
  /// What it does in one round.
  struct Turn {
    std::optional<BlockTransfer> send{};
    std::optional<BlockTransfer> receive{};
  };
  /// Groups in a row.
  struct Row {
    Rank begin = 0;
    Rank end = 0;
  };

  [[nodiscard]] Rank lane_for(Rank group) const;
  /// Those that lanes in a row serve.
  [[nodiscard]] Row served_by(Rank first_lane, Rank lanes) const;
  /// The blocks of this group lie in everybody's hands: of a row that has them in its middle the part before them, then
  /// the one behind them.
  [[nodiscard]] Row part_of(Row row, bool behind) const;
  /// Of the row that its lane serves.
  [[nodiscard]] Rank place_of(Rank group) const { return (group - served_by(lane_for(group), 1).begin) % exchanges_; }
  /// How long the rows are that lanes send in a step of telling each other what came: how many lanes each.
  [[nodiscard]] std::map<Rank, Rank> rows_of_step(std::size_t step) const;
  [[nodiscard]] bool begins_stage(std::size_t step) const {
    return step == 0 || steps_[step - 1].stage != steps_[step].stage;
  }
  [[nodiscard]] GroupRound own_round(std::size_t step) const;
  [[nodiscard]] GroupRound others_round(std::size_t step, bool behind) const;
  void gather_own();
  void exchange();
  void gather_others();
  [[nodiscard]] bool exchanges_in(std::uint64_t round) const { return round - first_exchange_ < exchanges_; }
  /// With which host; nothing: this one, or none.
  [[nodiscard]] std::optional<Rank> exchanges_with(std::uint64_t round) const;
  /// Of a round that is no exchange.
  [[nodiscard]] const Turn& turn(std::uint64_t round) const {
    return turns_[round < first_exchange_ ? round : round - exchanges_];
  }
  [[nodiscard]] std::optional<BlockTransfer> with(Rank peer, Row row, std::uint64_t needs = no_round) const;

  Rank lanes_;
  Rank groups_;
  Rank group_;  ///< of this position
  Rank lane_;
  std::vector<GroupStep> steps_;
  std::vector<Turn> turns_{};  ///< within the host, in order
  std::uint64_t first_exchange_ = 0;
  Rank exchanges_ = 0;                      ///< rounds of them
  Row served_{};                            ///< by this lane
  Rank own_lane_ = 0;                       ///< of each host, that serves this one
  Rank own_place_ = 0;                      ///< among those that it serves
  std::uint64_t own_blocks_in_ = no_round;  ///< what an exchange needs
  std::uint64_t rounds_ = 0;
  std::uint64_t last_ = no_round;  ///< in which something came
};

}  // namespace trunkline
