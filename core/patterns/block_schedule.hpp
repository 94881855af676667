// SPDX-License-Identifier: Apache-2.0
// Collectives that are no trees: the message is cut into blocks that reach each rank from several others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "network/placement.hpp"

namespace trunkline {

inline constexpr std::uint64_t no_round = ~std::uint64_t{0};

/// Blocks that lie in rows of the same length, each as far behind the one before.
struct BlockRows {
  std::uint64_t first = 0;
  std::uint64_t count = 0;  ///< of a row
  std::uint64_t rows = 1;
  std::uint64_t stride = 0;  ///< from one row's first block to the next one's; of one row: 0

  [[nodiscard]] std::uint64_t blocks() const { return count * rows; }
  /// Behind the last one.
  [[nodiscard]] std::uint64_t end() const { return first + (rows - 1) * stride + count; }
  [[nodiscard]] bool overlaps(const BlockRows& other) const {
    if (rows > 1 && other.rows > 1) {
      for (std::uint64_t row = 0; row < rows; ++row) {
        if (other.overlaps({.first = first + row * stride, .count = count})) return true;
      }
      return false;
    }
    if (other.rows > 1) return other.overlaps(*this);
    // The first row that ends behind where the other one begins.
    const std::uint64_t row =
        stride == 0 || other.first < first + count ? 0 : (other.first - first - count) / stride + 1;
    const std::uint64_t begin = first + row * stride;
    return row < rows && begin < other.first + other.count && other.first < begin + count;
  }

  friend bool operator==(const BlockRows&, const BlockRows&) = default;
};

/// Blocks that one rank sends to another in one round.
struct BlockTransfer {
  Rank peer = no_rank;  ///< position of the other one
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t rows = 1;  ///< as BlockRows
  std::uint64_t stride = 0;
  /// Of a send: the rank has these blocks once it has all that it receives in rounds up to this one; no_round: from
  /// the start.
  std::uint64_t needs = no_round;
  /// The receiver adds them to what it has of these blocks; else they are what it lacks.
  bool reduces = false;
  /// Of a reduction: they are sums of some operands, and take the place of what the receiver has, which others have
  /// too.
  bool replaces = false;

  [[nodiscard]] BlockRows blocks() const { return {.first = first, .count = count, .rows = rows, .stride = stride}; }
};

/// Positions in a row each send so many blocks to the one that is so much further, round the end.
struct RowOfSends {
  Rank first = 0;
  Rank count = 0;
  Rank distance = 0;
  std::uint64_t blocks = 1;
};

/// Positions in a row, in groups of so many from the first one on, each with a place.
struct PlacedGroups {
  Rank size = 0;
  Rank count = 0;              ///< of places
  std::vector<Rank> places{};  ///< by group
};

/// What all of them send in a round.
struct GroupRound {
  struct Within {
    std::uint64_t blocks = 0;
    std::uint64_t times = 0;  ///< so many such transfers
  };
  std::vector<Within> within{};  ///< groups
  /// Each group sends to each other one whose place and its own add up to this, modulo the number of places: a rank to
  /// a rank.
  std::optional<Rank> meeting{};
  std::uint64_t met_blocks = 0;  ///< of each of these transfers
  bool reduces = false;
  bool follows = false;           ///< nobody waits for what comes in the round before
  bool mirrored_follows = false;  ///< nor where all goes the other way round
};

/// What all positions of one group send to those of another one, or among themselves.
struct GroupSends {
  Rank from = 0;  ///< group
  Rank to = 0;
  Rank times = 1;  ///< transfers
  bool reduces = false;
};

/// Of any number of blocks a message of as many as so many periods have rounds is looked at, and of that the second
/// period.
inline constexpr std::uint64_t middle_periods = 4;

/// What one rank of a collective does, round by round. Ranks go by their position in some order, the root at 0. Where
/// nothing is reduced, no rank receives a block twice. A send and its receive stand in the same round on both sides,
/// and what a round sends was received in earlier ones. Rounds only order the transfers: nobody waits for the end of
/// one.
class BlockSchedule {
 public:
  virtual ~BlockSchedule() = default;

  /// Into how many blocks a message must be cut; none: into any number above zero.
  [[nodiscard]] virtual std::optional<std::uint64_t> fixed_blocks() const = 0;

  [[nodiscard]] virtual std::uint64_t rounds(std::uint64_t blocks) const = 0;

  /// Where the blocks are not fixed: the number of rounds after which transfers go between the same ranks again, but
  /// for the first and the last ones of a broadcast.
  [[nodiscard]] virtual std::uint64_t period() const { return 0; }

  /// Of fixed blocks: how many rounds from this one on have no transfers between other ranks, nor longer ones: what is
  /// known of this one bounds them all.
  [[nodiscard]] virtual std::uint64_t alike(std::uint64_t /*round*/) const { return 1; }

  /// Whether all that is sent in a round can be said in rows of ascending positions. Where the blocks are not fixed, of
  /// a message of one block and in the second period of one of `middle_periods`.
  [[nodiscard]] virtual bool sends_in_rows() const { return false; }
  [[nodiscard]] virtual std::vector<RowOfSends> rows_sent(std::uint64_t /*round*/, std::uint64_t /*blocks*/) const {
    return {};
  }

  /// One round, and how many there are that have no transfers between other ranks, nor longer ones.
  struct Recurring {
    std::uint64_t round = 0;
    std::uint64_t times = 1;
  };
  /// Of fixed blocks, where rounds of several sorts take turns: one of each sort, which stand for all. None: alike()
  /// says it.
  [[nodiscard]] virtual std::vector<Recurring> recurring() const { return {}; }

  /// Of a reduction: whether each block is summed up at one rank alone, and no transfer has both blocks that its sender
  /// has got operands of and others.
  [[nodiscard]] virtual bool sums_once() const { return true; }

  /// Of a reduce-scatter: whether blocks are handed on one at a time, in the order they came; else a rank needs room
  /// for all of them.
  [[nodiscard]] virtual bool relays_in_order() const { return true; }

  /// Whether each rank sends to the next one alone, in a ring of all.
  [[nodiscard]] virtual bool is_ring() const { return false; }

  /// Whether each rank but the last one sends all that it has to the next one alone, round after round.
  [[nodiscard]] virtual bool is_line() const { return false; }

  /// Of the rounds that are alike: how many rings of ranks they are, one beside the other, each of which hands on what
  /// came in the round before.
  [[nodiscard]] virtual std::uint64_t lanes() const { return 1; }

  /// Whether positions in a row, in groups of so many, do the same in each round: all of a group send as many blocks,
  /// each to another member of one group, and wait for the same round; or none of them sends. The size is a divisor of
  /// the number of ranks.
  [[nodiscard]] virtual bool alike_in_groups(Rank size) const { return size == 1; }

  /// Of rounds in parts: in groups of so many positions in a row each place has a rank that does what the ranks at that
  /// place of all other groups do, each with its own group or with another one. 1: they do not.
  [[nodiscard]] virtual Rank places_alike() const { return 1; }
  /// The first round that is as this one: between the same groups of places_alike() positions as many transfers, each
  /// of as many blocks, go as in it, of the same ranks or of others.
  [[nodiscard]] virtual std::uint64_t first_alike(std::uint64_t round) const { return round; }

  /// Groups that meet by their places, of which group_round() says what all positions do. None: it does not.
  [[nodiscard]] virtual std::optional<PlacedGroups> placed_groups() const { return {}; }
  [[nodiscard]] virtual GroupRound group_round(std::uint64_t /*round*/) const { return {}; }

  /// In groups of how many positions in a row sent_by_groups() says all that is sent; 0: in none.
  [[nodiscard]] virtual Rank listed_groups() const { return 0; }
  /// Of one block: what all of them send in a round, each after what came in the round before.
  [[nodiscard]] virtual std::vector<GroupSends> sent_by_groups(std::uint64_t /*round*/) const { return {}; }

  /// What this rank sends in a round, if anything; `round` is below rounds(blocks).
  [[nodiscard]] virtual std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t blocks) const = 0;

  /// Of fixed blocks: the first round behind that one, before `end`, in which this rank sends one of the blocks from
  /// `first` on, `count` of them; `end` where there is none.
  [[nodiscard]] virtual std::uint64_t sent_next(std::uint64_t round, std::uint64_t end, std::uint64_t first,
                                                std::uint64_t count) const {
    const std::uint64_t blocks = *fixed_blocks();
    while (++round < end) {
      const auto sent = send(round, blocks);
      if (sent && sent->first < first + count && first < sent->first + sent->count) return round;
    }
    return end;
  }

  /// What it receives.
  [[nodiscard]] virtual std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t blocks) const = 0;

  /// Of exchanges: into how many parts the message is cut that go one behind the other, each by ranks of its own, so
  /// that links are busy with one while another waits.
  [[nodiscard]] virtual std::uint64_t parts() const { return 1; }
};

/// Of which one function says both sides of a round.
class TwoSided : public BlockSchedule {
 public:
  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t blocks) const final {
    return transfer(round, blocks, true);
  }
  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t blocks) const final {
    return transfer(round, blocks, false);
  }

 private:
  [[nodiscard]] virtual std::optional<BlockTransfer> transfer(std::uint64_t round, std::uint64_t blocks,
                                                              bool sends) const = 0;
};

/// What the rank at a position does; throws std::invalid_argument where there is no such position.
using Schedules = std::function<std::unique_ptr<const BlockSchedule>(Rank position)>;

}  // namespace trunkline
