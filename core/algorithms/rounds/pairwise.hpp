// SPDX-License-Identifier: Apache-2.0
// Allreduce by exchanges in pairs: everybody with the one whose number differs in one bit, nearest numbers first. In
// depth-first order over the switches those near in number are near in the network.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "algorithms/rounds/folding.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline {

/// What both ways to exchange have in common: the folding of ranks beyond a power of two, and who exchanges when.
class PairwiseExchange : public TwoSided {
 public:
  [[nodiscard]] std::uint64_t rounds(std::uint64_t blocks) const final;
  /// Numbers that differ in a low bit are in one group, those that differ in a high one in the same place of two.
  [[nodiscard]] bool alike_in_groups(Rank size) const override {
    return size == 1 || (folding_.folds() == 0 && std::has_single_bit(size));
  }

 protected:
  PairwiseExchange(Rank ranks, Rank position) : folding_(ranks, position) {}

  struct Blocks {
    std::uint64_t first;
    std::uint64_t count;
    bool reduces;
  };

  [[nodiscard]] const Folding& folding() const noexcept { return folding_; }

  /// Exchanges after the folding.
  [[nodiscard]] virtual std::uint64_t exchanges() const = 0;
  /// Which bit of the numbers an exchange is along.
  [[nodiscard]] virtual unsigned bit(std::uint64_t exchange) const = 0;
  /// Whom a number exchanges with.
  [[nodiscard]] virtual Rank partner(Rank number, std::uint64_t exchange) const {
    return number ^ (Rank{1} << bit(exchange));
  }
  /// What the one of that number sends in an exchange.
  [[nodiscard]] virtual Blocks sent(Rank number, std::uint64_t exchange) const = 0;

 private:
  [[nodiscard]] std::optional<BlockTransfer> transfer(std::uint64_t round, std::uint64_t blocks,
                                                      bool sends) const override;

  Folding folding_;
};

/// The whole vector each time: log2(P) T(m). The fewest rounds there are, for short vectors.
class RecursiveDoubling final : public PairwiseExchange {
 public:
  /// Throws std::invalid_argument where `position` is not below `ranks`.
  RecursiveDoubling(Rank ranks, Rank position) : PairwiseExchange(ranks, position) {}
  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return 1; }
  [[nodiscard]] bool sums_once() const override { return false; }

 private:
  [[nodiscard]] std::uint64_t exchanges() const override { return folding().steps(); }
  [[nodiscard]] unsigned bit(std::uint64_t exchange) const override { return static_cast<unsigned>(exchange); }
  [[nodiscard]] Blocks sent(Rank /*number*/, std::uint64_t /*exchange*/) const override { return {0, 1, true}; }
};

/// Halves, quarters, ... are summed up, then gathered the other way (Rabenseifner 2004): 2 T(m) in 2 log2(P) rounds.
/// The longest transfers, half the vector, go between neighbours.
class HalvingDoubling : public PairwiseExchange {
 public:
  /// Throws std::invalid_argument where `position` is not below `ranks`.
  HalvingDoubling(Rank ranks, Rank position) : PairwiseExchange(ranks, position) {}
  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return folding().active(); }

 protected:
  [[nodiscard]] std::uint64_t exchanges() const override { return 2 * folding().steps(); }
  [[nodiscard]] unsigned bit(std::uint64_t exchange) const override;
  [[nodiscard]] Blocks sent(Rank number, std::uint64_t exchange) const override;
};

}  // namespace trunkline
