// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinds/rounds/rounds.hpp"

namespace trunkline {
namespace {

/// Whose operands are in each block of each rank. Where nothing is reduced, one operand makes a block whole.
class Operands {
 public:
  Operands(std::size_t ranks, std::uint64_t blocks, std::size_t operands)
      : blocks_(blocks), operands_(operands), in_(ranks * blocks * operands, false) {}

  void add(Rank position, std::uint64_t block, std::size_t operand) { *(at(position, block) + offset(operand)) = true; }
  [[nodiscard]] bool is_whole(Rank position, std::uint64_t block) const {
    return std::find(at(position, block), at(position, block + 1), false) == at(position, block + 1);
  }
  [[nodiscard]] bool is_empty(Rank position, std::uint64_t block) const {
    return std::find(at(position, block), at(position, block + 1), true) == at(position, block + 1);
  }

  /// Of a block, the first or the last one that a position has; none: their number.
  [[nodiscard]] std::size_t first(Rank position, std::uint64_t block) const {
    const auto begin = at(position, block);
    return static_cast<std::size_t>(std::find(begin, begin + offset(operands_), true) - begin);
  }
  [[nodiscard]] std::size_t last(Rank position, std::uint64_t block) const {
    const auto begin = at(position, block);
    std::size_t operand = operands_;
    while (operand > 0 && !begin[offset(operand - 1)]) --operand;
    return operand > 0 ? operand - 1 : operands_;
  }

  /// The first operand of a block that both positions have; none: their number.
  [[nodiscard]] std::size_t first_of_both(Rank one, Rank other, std::uint64_t block) const {
    std::size_t operand = 0;
    while (operand < operands_ && !(at(one, block)[offset(operand)] && at(other, block)[offset(operand)])) ++operand;
    return operand;
  }

  /// Blocks as they are now, row after row.
  [[nodiscard]] std::vector<bool> copy(Rank position, const BlockRows& blocks) const {
    std::vector<bool> copied;
    for (std::uint64_t row = 0; row < blocks.rows; ++row) {
      const std::uint64_t first = blocks.first + row * blocks.stride;
      copied.insert(copied.end(), at(position, first), at(position, first + blocks.count));
    }
    return copied;
  }
  void replace(Rank position, std::uint64_t first, const std::vector<bool>& copied) {
    std::copy(copied.begin(), copied.end(), at(position, first));
  }
  void add(Rank position, const BlockRows& blocks, const std::vector<bool>& copied) {
    auto from = copied.begin();
    for (std::uint64_t row = 0; row < blocks.rows; ++row) {
      const auto to = at(position, blocks.first + row * blocks.stride);
      const auto end = from + offset(blocks.count * operands_);
      std::transform(from, end, to, to, std::logical_or<>());
      from = end;
    }
  }

 private:
  using Bits = std::vector<bool>;
  [[nodiscard]] static Bits::difference_type offset(std::size_t bits) {
    return static_cast<Bits::difference_type>(bits);
  }
  [[nodiscard]] Bits::const_iterator at(Rank position, std::uint64_t block) const {
    return in_.begin() + offset((position * blocks_ + block) * operands_);
  }
  [[nodiscard]] Bits::iterator at(Rank position, std::uint64_t block) {
    return in_.begin() + offset((position * blocks_ + block) * operands_);
  }

  std::uint64_t blocks_;
  std::size_t operands_;
  Bits in_;
};

/// All ranks, round by round.
class RoundReplay {
 public:
  RoundReplay(const Rounds& rounds, std::uint64_t blocks, const CollectiveFacts& facts)
      : rounds_(rounds),
        blocks_(blocks),
        facts_(facts),
        has_(rounds.order.size(), blocks, facts.reduces ? rounds.order.size() : 1) {
    const auto ranks = static_cast<Rank>(rounds.order.size());
    for (Rank position = 0; position < ranks; ++position) schedules_.push_back(rounds.schedule_of(position));
    has_sent_.assign(ranks, false);
    relayed_.resize(ranks);
    const bool by_pairs = facts.goes_by_pairs();
    if ((facts.goes_by_shares() && blocks != ranks) || (by_pairs && blocks != std::uint64_t{ranks} * ranks)) {
      throw InvalidPlan("there are " + std::to_string(blocks) + " blocks for " + std::to_string(ranks) + " ranks; " +
                        std::string(facts.name) + " has one for each " + (by_pairs ? "pair of ranks" : "rank"));
    }
    for (Rank position = 0; position < ranks; ++position) {
      for (std::uint64_t block = 0; block < blocks; ++block) {
        if (holds(facts.before, position, block)) has_.add(position, block, facts.reduces ? position : 0);
      }
    }
  }

  void run() {
    const std::uint64_t rounds = schedules_.front()->rounds(blocks_);
    for (std::uint64_t round = 0; round < rounds; ++round) one_round(round);
    for (Rank position = 0; position < schedules_.size(); ++position) {
      for (std::uint64_t block = 0; block < blocks_; ++block) {
        const bool has_all =
            facts_.makes_prefixes() ? has_.first(position, block) == 0 : has_.is_whole(position, block);
        if (!holds(facts_.after, position, block) || has_all) continue;
        const std::string_view all = facts_.makes_prefixes() ? "all ranks before it" : "all ranks";
        throw InvalidPlan(name(position) + " never gets block " + std::to_string(block) +
                          (has_.is_empty(position, block) ? "" : " with the operands of " + std::string(all)));
      }
    }
  }

 private:
  [[nodiscard]] bool holds(Holding what, Rank position, std::uint64_t block) const {
    switch (what) {
      case Holding::all_at_root:
        return position == 0;
      case Holding::own_block:
        return block == position;
      case Holding::own_row:
        return block / rounds_.order.size() == position;
      case Holding::own_column:
        return block % rounds_.order.size() == position;
      case Holding::all:
      case Holding::up_to_own:
      case Holding::before_own:
        break;
    }
    return true;
  }

  [[nodiscard]] std::string name(Rank position) const { return "rank " + std::to_string(rounds_.order[position]); }

  void one_round(std::uint64_t round) {
    const std::string where = "round " + std::to_string(round) + ": ";
    std::vector<BlockTransfer> arriving(schedules_.size());
    std::vector<std::vector<bool>> sent(schedules_.size());  // by receiver: as it was when the round began
    for (Rank position = 0; position < schedules_.size(); ++position) {
      const auto send = schedules_[position]->send(round, blocks_);
      if (!send) continue;
      const std::string who = where + name(position);
      if (send->peer >= schedules_.size()) throw InvalidPlan(who + " sends to a position that is not there");
      if (send->blocks().end() > blocks_) throw InvalidPlan(who + " sends a block that is not there");
      const auto receive = schedules_[send->peer]->receive(round, blocks_);
      if (!receive || receive->peer != position || receive->blocks() != send->blocks() ||
          receive->reduces != send->reduces || receive->replaces != send->replaces) {
        throw InvalidPlan(who + " sends to " + name(send->peer) + ", which expects something else");
      }
      if (send->rows > 1 && !facts_.goes_by_pairs()) {
        throw InvalidPlan(who + " sends rows of blocks; only an alltoall may");
      }
      const std::uint64_t own = position * rounds_.order.size() + send->peer;
      if (facts_.has_private_lengths() && send->blocks() != BlockRows{.first = own, .count = 1}) {
        throw InvalidPlan(who + " sends other blocks than its own one for " + name(send->peer) +
                          "; ranks between would not know how long others are");
      }
      for (std::uint64_t row = 0; row < send->rows; ++row) {
        const std::uint64_t first = send->first + row * send->stride;
        for (std::uint64_t block = first; block < first + send->count; ++block) {
          check_transfer(where, position, *send, block);
        }
      }
      const bool relays = facts_.reduces && facts_.after == Holding::own_block;
      if (relays && schedules_[position]->relays_in_order()) check_relay(who, position, *send);
      sent[send->peer] = has_.copy(position, send->blocks());
      arriving[send->peer] = *receive;
    }
    for (Rank position = 0; position < schedules_.size(); ++position) {
      const auto receive = schedules_[position]->receive(round, blocks_);
      if (receive && arriving[position].peer == no_rank) {
        throw InvalidPlan(where + name(position) + " waits for " + name(receive->peer) + ", which sends nothing");
      }
      if (!receive) continue;
      if (receive->replaces) {
        has_.replace(position, receive->first, sent[position]);
      } else {
        has_.add(position, receive->blocks(), sent[position]);
      }
      if (receive->first != position) relayed_[position].push_back(receive->first);
    }
  }

  /// Sums that pass through a rank have no place of their own there: it needs one for those under way alone.
  void check_relay(const std::string& who, Rank position, const BlockTransfer& send) {
    std::deque<std::uint64_t>& waiting = relayed_[position];
    const bool is_next = has_sent_[position] ? !waiting.empty() && waiting.front() == send.first
                                             : std::ranges::find(waiting, send.first) == waiting.end();
    if (send.count != 1 || !is_next) {
      throw InvalidPlan(who + " sends block " + std::to_string(send.first) + " to be added; " +
                        std::string(facts_.name) + " hands blocks on one at a time, in the order they came");
    }
    if (has_sent_[position]) waiting.pop_front();
    has_sent_[position] = true;
  }

  void check_transfer(const std::string& where, Rank position, const BlockTransfer& send, std::uint64_t block) const {
    const std::string number = std::to_string(block);
    if (send.replaces && (send.reduces || !facts_.reduces || facts_.goes_by_shares() || facts_.makes_prefixes())) {
      throw InvalidPlan(where + name(position) + " sends block " + number + " to take another one's place" +
                        (send.reduces ? ", and to be added to it; only one of both can be"
                                      : ", and " + std::string(facts_.name) + " adds up no whole vectors"));
    }
    if (send.reduces && !facts_.reduces) {
      throw InvalidPlan(where + name(position) + " sends block " + number + " to be added, and " +
                        std::string(facts_.name) + " adds nothing up");
    }
    if (send.replaces) return;
    if (facts_.makes_prefixes()) {
      if (send.reduces && has_.last(position, block) + 1 == has_.first(send.peer, block)) return;
      throw InvalidPlan(where + name(position) + " sends block " + number + " to " + name(send.peer) +
                        ", which does not lack the operands of just these ranks next");
    }
    if (send.reduces) {
      const std::size_t twice = has_.first_of_both(position, send.peer, block);
      if (twice == schedules_.size()) return;
      throw InvalidPlan(where + name(send.peer) + " gets the operand of " + name(static_cast<Rank>(twice)) +
                        " for block " + number + " a second time, from " + name(position));
    }
    if (!has_.is_whole(position, block)) {
      throw InvalidPlan(
          where + name(position) + " sends block " + number +
          (has_.is_empty(position, block) ? ", which it has not got yet" : ", which is not summed up yet"));
    }
    if (has_.is_whole(send.peer, block)) {
      throw InvalidPlan(where + name(send.peer) + " gets block " + number + " a second time, from " + name(position));
    }
  }

  const Rounds& rounds_;
  std::uint64_t blocks_;
  const CollectiveFacts& facts_;
  Operands has_;
  std::vector<std::unique_ptr<const BlockSchedule>> schedules_;
  std::vector<bool> has_sent_;
  std::vector<std::deque<std::uint64_t>> relayed_;  ///< blocks that a rank has still to hand on
};

}  // namespace

void check_order(const Rounds& rounds, Collective collective) {
  const CollectiveFacts& facts = facts_of(collective);
  if (!facts.makes_prefixes() || std::ranges::is_sorted(rounds.order)) return;
  throw InvalidPlan(std::string(facts.name) + " begins at rank 0, and goes by rank number");
}

void check_rounds(const Rounds& rounds, Collective collective) {
  if (rounds.order.empty()) throw InvalidPlan("the plan has no ranks");
  check_order(rounds, collective);
  const auto first = rounds.schedule_of(0);
  RoundReplay(rounds, first->fixed_blocks().value_or(3 * first->period() + 1), facts_of(collective)).run();
}

}  // namespace trunkline
