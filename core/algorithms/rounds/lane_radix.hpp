// SPDX-License-Identifier: Apache-2.0
// Allreduce of short vectors where several ranks share hosts: each rank of a host meets another host, so few rounds go
// over the network.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/rounds/folding.hpp"
#include "algorithms/rounds/pairwise.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline {

/// Of `groups` groups in groups of at most `most` each: sizes, the largest first. Their product is the number of groups
/// that take part, half of all at least; others stand back. The fewest rounds that there are, where standing back costs
/// two; of those the most groups, and the smallest sizes. One group: none. Throws std::invalid_argument where `most` is
/// below 2.
[[nodiscard]] std::vector<Rank> lane_radices(Rank groups, Rank most);

/// What all positions have in common: rounds in a row of one sort each.
struct LaneRounds {
  struct Phase {
    enum class Sort : std::uint8_t {
      sum_back,  ///< hosts that stand back sum up at their first rank
      fold,      ///< which hands that to the first rank of another host
      sum_up,    ///< among the first `size` ranks of each host that takes part
      exchange,  ///< between hosts in groups of `size`, `stride` apart
      unfold,    ///< the result goes to the hosts that stand back
      spread,    ///< from the first `size` ranks of a host to all; of one that stands back from the first one
    };
    Sort sort;
    std::uint64_t first;  ///< round
    Rank size = 0;
    Rank stride = 0;
  };

  /// As LaneRadix.
  LaneRounds(Rank lanes, Rank most, Rank ranks);
  [[nodiscard]] const Phase& phase_of(std::uint64_t round) const;

  Rank lanes;
  Rank groups;
  Rank active = 1;  ///< groups that take part
  std::uint64_t rounds = 0;
  std::vector<Phase> phases{};

 private:
  void add(Phase::Sort sort, std::uint64_t count, Rank size = 0, Rank stride = 0);
};

/// Positions in a row are a group: ranks of one host. First each has the sum of its host. Then hosts go in groups of R:
/// its rank number j hands the host's sum to rank number i of host j, i being the host's own number in the group, gets
/// the sum of host j for it, and keeps that instead. Its first R ranks sum up what they have now, in the order of the
/// group's hosts, so that all hosts have the same bits. So N hosts take logR(N) rounds over the network, where
/// exchanges in pairs take log2(N), and each host's link carries (R - 1) vectors each time. All of the vector each
/// time. Where hosts make no such groups, some stand back as ranks of exchanges in pairs do.
class LaneRadix final : public TwoSided {
 public:
  /// `lanes`: ranks of each host; `most`: hosts of a group at most. Throws std::invalid_argument where lanes are no
  /// divisor of `ranks`, `most` is below 2 or above `lanes`, or `position` is not below `ranks`.
  LaneRadix(Rank lanes, Rank most, Rank ranks, Rank position)
      : LaneRadix(std::make_shared<const LaneRounds>(lanes, most, ranks), position) {}
  /// Throws std::invalid_argument where there is no such position.
  LaneRadix(std::shared_ptr<const LaneRounds> all, Rank position);

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return 1; }
  [[nodiscard]] bool sums_once() const override { return false; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t /*blocks*/) const override { return all_->rounds; }
  [[nodiscard]] Rank listed_groups() const override { return all_->lanes; }
  [[nodiscard]] std::vector<GroupSends> sent_by_groups(std::uint64_t round) const override;

 private:
  using Phase = LaneRounds::Phase;
  /// What one rank of a group sends, or receives, in a round of a phase.
  struct Move {
    Rank group;  ///< of the other one
    Rank lane;
    bool reduces = false;
    bool replaces = false;
  };

  [[nodiscard]] std::optional<Move> move(const Phase& phase, std::uint64_t step, Rank group, Rank lane,
                                         bool sends) const;
  [[nodiscard]] std::optional<Move> fold(bool back, Rank group, Rank lane, bool sends) const;
  [[nodiscard]] std::optional<Move> exchange(const Phase& phase, Rank group, Rank lane) const;
  [[nodiscard]] std::optional<BlockTransfer> transfer(std::uint64_t round, std::uint64_t blocks,
                                                      bool sends) const override;
  /// Appends the sends of a group's ranks in a round, once for each of `groups` groups alike.
  void list_group(std::uint64_t round, Rank group, Rank groups, std::vector<GroupSends>& all) const;
  [[nodiscard]] Folding folding(Rank group) const { return {all_->groups, all_->active, group}; }

  std::shared_ptr<const LaneRounds> all_;
  Rank group_;  ///< of this position
  Rank lane_;
};

}  // namespace trunkline
