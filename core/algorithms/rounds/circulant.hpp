// SPDX-License-Identifier: Apache-2.0
// The round-optimal broadcast on a circulant graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "patterns/block_schedule.hpp"

namespace trunkline {

/// Which blocks all ranks receive: each is asked for by as many others as there are skips, so who makes the schedules
/// of all makes it once.
class CirculantBlocks {
 public:
  explicit CirculantBlocks(Rank ranks);

  [[nodiscard]] Rank ranks() const { return ranks_; }
  /// By skip; none of the root.
  [[nodiscard]] std::span<const std::int8_t> of(Rank position) const {
    if (position == 0) return {};
    return {blocks_.data() + position * skips_, skips_};
  }

 private:
  Rank ranks_;
  std::size_t skips_;
  std::vector<std::int8_t> blocks_;
};

/// Traeff (2024), "Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast, All-Broadcast,
/// Reduction and All-Reduction": n blocks in n - 1 + log2(ranks) rounds, rounded up, on any number of ranks; fewer are
/// not possible where a rank sends one block and receives one in each. Round by round a rank talks to those that are
/// 1, 2, ..., ranks / 2 places away, as a skip of the graph says, and again from the first skip on. Which block it
/// receives for each skip it finds by itself in O(log ranks); which it sends is what the receiver finds, so all
/// together O(log^2 ranks), in time and space.
class Circulant final : public BlockSchedule {
 public:
  /// Throws std::invalid_argument where `position` is not below `ranks`.
  Circulant(Rank ranks, Rank position);
  Circulant(const std::shared_ptr<const CirculantBlocks>& blocks, Rank position);
  Circulant(const Circulant&) = delete;
  Circulant& operator=(const Circulant&) = delete;

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return std::nullopt; }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t blocks) const override;
  [[nodiscard]] std::uint64_t period() const override { return skips_.size(); }
  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t blocks) const override;
  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t blocks) const override;
  [[nodiscard]] bool sends_in_rows() const override { return true; }
  [[nodiscard]] std::vector<RowOfSends> rows_sent(std::uint64_t round, std::uint64_t blocks) const override;

  /// Distances to the ranks that are sent to, one a round: half of `ranks`, then of that, ..., 1; ascending, each half
  /// rounded up.
  [[nodiscard]] static std::vector<Rank> skips(Rank ranks);

 private:
  /// Blocks that a rank receives, by skip; the next time round each is later by as many blocks as there are skips.
  using Received = std::span<const std::int8_t>;

  Circulant(Rank ranks, Rank position, std::shared_ptr<const CirculantBlocks> blocks);

  /// A round as the schedule counts: from the first skip on, so that the last round is one of the last skip.
  struct Moment;
  [[nodiscard]] Moment moment(std::uint64_t round, std::uint64_t blocks) const;
  [[nodiscard]] std::int64_t last_block_in(Received received, std::uint64_t blocks) const;
  [[nodiscard]] std::uint64_t received_in(std::int64_t block, std::uint64_t blocks) const;

  Rank ranks_;
  Rank position_;
  std::vector<Rank> skips_;
  mutable std::shared_ptr<const CirculantBlocks> blocks_;  ///< of all ranks; null: they were not asked for
  std::vector<std::int8_t> own_blocks_;                    ///< where it has none of all ranks
  Received received_;                                      ///< none on the root
  std::vector<Received> received_by_;   ///< by the rank that is sent to, for each skip; none for the root
  std::vector<std::int64_t> skip_for_;  ///< by block modulo the number of skips: the skip that brings it
};

}  // namespace trunkline
