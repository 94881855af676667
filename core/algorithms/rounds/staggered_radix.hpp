// SPDX-License-Identifier: Apache-2.0
// Allreduce by exchanges within groups, in parts of the message one behind the other: while one is between switches,
// the next ones are within them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "patterns/block_schedule.hpp"

namespace trunkline {

/// Exchanges of all ranks at once (MixedRadix) leave the trunks idle while hosts of a switch exchange, and then the
/// hosts' links. Here the ranks of each host make up to eight teams, and each team owns a part of the message. All
/// ranks of a host sum up a part among themselves; its owners exchange it with those of the hosts of their switch, then
/// of the other switches, and back; the host gathers it. Three parts at a time are summed up within switches: the
/// owners of each hand the fourth one's their sums of it only once they have their own. So who is behind keeps the
/// links busy of who waits. Bytes and messages over the network are those of MixedRadix:
/// 2 (P - 1) / P T(m), and what one part takes alone.
class StaggeredRadix final : public BlockSchedule {
 public:
  /// `levels`: ranks in a row that share a host, hosts that share a switch; the rest is between switches. Throws
  /// std::invalid_argument where there are none, they do not divide `ranks`, or `position` is not below `ranks`.
  StaggeredRadix(std::span<const Rank> levels, Rank ranks, Rank position);

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return ranks_; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t /*blocks*/) const override { return rounds_; }
  [[nodiscard]] std::uint64_t parts() const override { return parts_.size(); }
  /// A team, or a group of its first exchanges.
  [[nodiscard]] bool alike_in_groups(Rank size) const override;
  /// Each host has as many teams.
  [[nodiscard]] Rank places_alike() const override { return lanes_; }
  /// All parts go the same ways between hosts, there and back.
  [[nodiscard]] std::uint64_t first_alike(std::uint64_t round) const override { return first_alike_[round]; }
  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t blocks) const override;
  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t blocks) const override;

 private:
  /// A group of `size` ranks, each of which keeps one of `size` pieces of the data that this rank has.
  struct Group {
    Rank size = 0;
    Rank stride = 0;          ///< between neighbours
    std::size_t number = 0;   ///< among those of its part
    std::uint64_t piece = 0;  ///< blocks
    std::uint64_t first = 0;  ///< block
  };
  using Groups = std::vector<Group>;
  struct Part {
    Groups team{};            ///< ranks of one host and team
    Groups within{};          ///< hosts of one switch
    Groups between{};         ///< switches
    std::uint64_t first = 0;  ///< block of what the team has once it has summed up
    std::uint64_t count = 0;
    std::uint64_t last = no_round;  ///< in which this rank received something of it
  };
  struct Turn {
    std::uint64_t round = 0;
    std::optional<BlockTransfer> send{};
    std::optional<BlockTransfer> receive{};
  };

  /// Sizes of groups.
  struct Sizes {
    std::vector<Rank> team;
    std::vector<Rank> within;
    std::vector<Rank> between;
  };

  void add_part(const Sizes& sizes);
  void exchange(Rank part, const Groups& groups, bool takes_part);
  void gather(Rank part, const Groups& groups, bool takes_part);
  void one_group(Rank part, const Group& group, bool reduces, bool takes_part);
  void hand_over(Rank part, Rank team, bool reduces);
  void sum_up(Rank part);
  void release(Rank part);
  void hand_out(Rank part);
  void cross_switches(Rank part);
  [[nodiscard]] bool owns(Rank part) const { return team_ == part; }
  [[nodiscard]] Rank count() const { return static_cast<Rank>(parts_.size()); }
  [[nodiscard]] const Turn* turn(std::uint64_t round) const;

  Rank ranks_;
  Rank position_;
  Rank lanes_ = 1;  ///< ranks of each host
  Rank team_size_ = 0;
  Rank team_ = 0;  ///< of this position
  std::vector<Part> parts_{};
  std::vector<Turn> turns_{};  ///< of this position, in order
  std::uint64_t rounds_ = 0;
  std::vector<std::uint64_t> first_alike_{};  ///< by round
  std::vector<std::uint64_t> first_of_{};     ///< by number of a group: its first round
};

}  // namespace trunkline
