// SPDX-License-Identifier: Apache-2.0
// Random rounds of any collective that the checker accepts, the same ones from the same random numbers. Who may add to
// whom follows from the replay alone: so blocks take roundabout ways, operands are added that are never sent on, and
// sums are overwritten by finished blocks.
#pragma once

#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "collective/collective.hpp"
#include "kinds/rounds/list.hpp"
#include "kinds/rounds/rounds.hpp"

namespace trunkline::testing {

/// Below `end`, the same with every library.
inline std::uint64_t below(std::mt19937& random, std::uint64_t end) { return random() % end; }

class RandomRounds {
 public:
  RandomRounds(const CollectiveFacts& facts, Rank ranks, Rank root, std::uint64_t blocks, std::mt19937& random)
      : facts_(facts), ranks_(ranks), root_(root), blocks_(blocks), random_(random) {}

  /// Some dead ends are begun again.
  RoundList make() {
    while (true) {
      begin();
      RoundList list{.blocks = blocks_, .rounds = {}};
      for (std::uint64_t idle = 0; !is_over() && idle < patience;) {
        list.rounds.push_back(one_round());
        idle = list.rounds.back().empty() ? idle + 1 : 0;
      }
      if (is_over()) return list;
    }
  }

 private:
  using Mask = std::uint32_t;  ///< whose operands
  static constexpr std::uint64_t patience = 20;

  [[nodiscard]] bool by_relays() const { return facts_.reduces && facts_.after == Holding::own_block; }
  [[nodiscard]] Rank position(Rank rank) const { return (rank + ranks_ - root_) % ranks_; }
  /// At which a rank's block is whole.
  [[nodiscard]] Mask all(Rank rank) const {
    if (!facts_.reduces) return 1;
    return (Mask{1} << (facts_.makes_prefixes() ? rank + 1 : ranks_)) - 1;
  }
  [[nodiscard]] bool holds(Holding what, Rank rank, std::uint64_t block) const {
    const Rank at = position(rank);
    if (what == Holding::own_row) return block / ranks_ == at;
    if (what == Holding::own_column) return block % ranks_ == at;
    if (what == Holding::all || what == Holding::up_to_own || what == Holding::before_own) return true;
    return what == Holding::all_at_root ? at == 0 : block == at;
  }

  void begin() {
    has_.assign(ranks_, std::vector<Mask>(blocks_, 0));
    waiting_.assign(ranks_, {});
    for (Rank rank = 0; rank < ranks_; ++rank) {
      for (std::uint64_t block = 0; block < blocks_; ++block) {
        if (holds(facts_.before, rank, block)) has_[rank][block] = facts_.reduces ? Mask{1} << rank : 1;
      }
    }
    if (!by_relays()) return;
    std::vector<std::uint64_t> first(ranks_);
    for (Rank i = 0; i < ranks_; ++i) {
      const auto place = static_cast<std::size_t>(below(random_, i + 1U));
      first[i] = first[place];
      first[place] = i;
    }
    for (Rank rank = 0; rank < ranks_; ++rank) waiting_[rank].push_back(first[rank]);
  }

  [[nodiscard]] bool is_over() const {
    for (Rank rank = 0; rank < ranks_; ++rank) {
      for (std::uint64_t block = 0; block < blocks_; ++block) {
        if (holds(facts_.after, rank, block) && has_[rank][block] != all(rank)) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool may_add(Rank from, Rank to, std::uint64_t block) const {
    if (facts_.makes_prefixes()) {  // operands in a row, up to the one before the receiver's lowest
      const Mask lowest = has_[to][block] & ~(has_[to][block] - 1);
      return std::bit_floor(has_[from][block]) << 1U == lowest;
    }
    return facts_.reduces && (has_[from][block] & has_[to][block]) == 0;
  }
  [[nodiscard]] bool may_finish(Rank from, Rank to, std::uint64_t block) const {
    return !facts_.makes_prefixes() && has_[from][block] == all(from) && has_[to][block] != all(to);
  }

  std::vector<Transfer> one_round() {
    std::vector<Transfer> made;
    std::vector<bool> receives(ranks_, false);
    const auto start = static_cast<Rank>(below(random_, ranks_));
    for (Rank i = 0; i < ranks_; ++i) {
      const Rank from = (start + i) % ranks_;
      if (below(random_, 4) == 0) continue;
      const auto to = static_cast<Rank>(below(random_, ranks_));
      if (to == from || receives[to]) continue;
      Transfer transfer{.from = from, .to = to};
      if (!(by_relays() ? relay(transfer) : exchange(transfer))) continue;
      receives[to] = true;
      made.push_back(transfer);
    }
    const std::vector<std::vector<Mask>> before = has_;
    for (const Transfer& one : made) {
      for (std::uint64_t i = 0; i < one.count * one.rows; ++i) {
        const std::uint64_t block = one.first + i / one.count * one.stride + i % one.count;
        has_[one.to][block] |= before[one.from][block];
      }
    }
    for (const Transfer& one : made) {
      if (!by_relays()) break;
      waiting_[one.from].erase(waiting_[one.from].begin());
      if (position(one.to) != one.first) waiting_[one.to].push_back(one.first);
    }
    return made;
  }

  /// Blocks in a row from a random one on, all of one kind.
  bool exchange(Transfer& transfer) {
    const std::uint64_t begin = below(random_, blocks_);
    const std::uint64_t most = 1 + below(random_, blocks_);
    const bool finish_first = below(random_, 2) == 0;
    for (std::uint64_t i = 0; i < blocks_; ++i) {
      transfer.first = (begin + i) % blocks_;
      const bool adds = may_add(transfer.from, transfer.to, transfer.first);
      const bool finishes = may_finish(transfer.from, transfer.to, transfer.first);
      if (!adds && !finishes) continue;
      if (facts_.has_private_lengths()) {  // each block goes straight on
        transfer.first = std::uint64_t{position(transfer.from)} * ranks_ + position(transfer.to);
        return may_finish(transfer.from, transfer.to, transfer.first);
      }
      transfer.reduces = adds && !(finishes && finish_first);
      transfer.count = 1;
      while (transfer.count < most && transfer.first + transfer.count < blocks_) {
        const std::uint64_t next = transfer.first + transfer.count;
        if (!(transfer.reduces ? may_add(transfer.from, transfer.to, next)
                               : may_finish(transfer.from, transfer.to, next))) {
          break;
        }
        ++transfer.count;
      }
      if (facts_.goes_by_pairs()) add_rows(transfer);
      return true;
    }
    return false;
  }

  /// More of them, as long as the receiver lacks all of a row.
  void add_rows(Transfer& transfer) {
    const std::uint64_t stride = transfer.count + below(random_, ranks_ + 1U);
    const auto lacks = [&](std::uint64_t first) {
      if (first + transfer.count > blocks_) return false;
      for (std::uint64_t block = first; block < first + transfer.count; ++block) {
        if (!may_finish(transfer.from, transfer.to, block)) return false;
      }
      return true;
    };
    while (transfer.rows < 1 + below(random_, 4) && lacks(transfer.first + transfer.rows * stride)) ++transfer.rows;
    if (transfer.rows > 1) transfer.stride = stride;
  }

  /// What came first, not to its own place before it is whole.
  bool relay(Transfer& transfer) {
    if (waiting_[transfer.from].empty()) return false;
    transfer.first = waiting_[transfer.from].front();
    const bool adds = may_add(transfer.from, transfer.to, transfer.first);
    if (!adds && !may_finish(transfer.from, transfer.to, transfer.first)) return false;
    transfer.reduces = adds;
    const Mask then = has_[transfer.from][transfer.first] | has_[transfer.to][transfer.first];
    return position(transfer.to) != transfer.first || then == all(transfer.to);
  }

  const CollectiveFacts& facts_;
  Rank ranks_;
  Rank root_;
  std::uint64_t blocks_;
  std::mt19937& random_;
  std::vector<std::vector<Mask>> has_;               ///< by rank and block
  std::vector<std::vector<std::uint64_t>> waiting_;  ///< blocks that a rank is to hand on, where sums are relayed
};

/// Checked, of up to six blocks or, where the collective goes by shares, one for each rank, or for each pair.
inline Plan random_plan(Collective collective, Rank ranks, Rank root, std::mt19937& random) {
  const CollectiveFacts& facts = facts_of(collective);
  const std::uint64_t blocks = facts.goes_by_pairs()    ? std::uint64_t{ranks} * ranks
                               : facts.goes_by_shares() ? ranks
                                                        : 1 + below(random, 6);
  Plan plan = plan_of(listed_rounds(ranks, root, RandomRounds(facts, ranks, root, blocks, random).make()));
  plan.steps().check(collective);
  return plan;
}

}  // namespace trunkline::testing
